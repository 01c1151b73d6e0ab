/* SPDX-License-Identifier: MIT
 * python_layout_check.c -- the recorder's table of CPython's layouts, against a version's own headers.
 *
 *     cc -I TOP -I PREFIX/include/python3.N -I PREFIX/include/python3.N/internal
 *
 * Nothing of Python is linked or run. Prints what differs; the status says how many things do.
 */
#define Py_BUILD_CORE 1
#include <Python.h>

#include <frameobject.h>
#if PY_VERSION_HEX < 0x030b0000
#include <code.h>
#else
#include "internal/pycore_frame.h"
#endif
#if PY_VERSION_HEX >= 0x030d0000
#include "internal/pycore_runtime.h"
#if PY_VERSION_HEX >= 0x030e0000
#include "internal/pycore_debug_offsets.h"
#include "internal/pycore_interpframe.h"
#include "internal/pycore_interpframe_structs.h"
#else
#include "internal/pycore_runtime_init.h"
#endif
#endif

#include <stdio.h>

#include "capture/python_layout.h"

static int wrong;

static void expect(const char *what, size_t have, size_t want)
{
	if (have == want)
		return;
	printf("3.%d %s: %zu, and the headers say %zu\n", PY_MINOR_VERSION, what, have, want);
	wrong++;
}

#if PY_VERSION_HEX >= 0x030d0000
static const void *runtime(void)
{
	static char bytes[PYTHON_RUNTIME_BYTES];
#if PY_VERSION_HEX >= 0x030e0000
	static const struct _Py_DebugOffsets offsets = _Py_DebugOffsets_INIT(_Py_Debug_Cookie);
#else
	static const struct _Py_DebugOffsets offsets = {
		.cookie = "xdebugpy",
		.version = PY_VERSION_HEX,
		.thread_state.current_frame = offsetof(PyThreadState, current_frame),
		.interpreter_frame =
			{
				.previous = offsetof(_PyInterpreterFrame, previous),
				.executable = offsetof(_PyInterpreterFrame, f_executable),
				.instr_ptr = offsetof(_PyInterpreterFrame, instr_ptr),
				.owner = offsetof(_PyInterpreterFrame, owner),
			},
		.code_object =
			{
				.filename = offsetof(PyCodeObject, co_filename),
				.qualname = offsetof(PyCodeObject, co_qualname),
				.linetable = offsetof(PyCodeObject, co_linetable),
				.firstlineno = offsetof(PyCodeObject, co_firstlineno),
				.co_code_adaptive = offsetof(PyCodeObject, co_code_adaptive),
			},
		.pyobject.ob_type = offsetof(PyObject, ob_type),
		.bytes_object =
			{
				.ob_size = offsetof(PyBytesObject, ob_base.ob_size),
				.ob_sval = offsetof(PyBytesObject, ob_sval),
			},
		.unicode_object =
			{
				.state = offsetof(PyUnicodeObject, _base._base.state),
				.length = offsetof(PyUnicodeObject, _base._base.length),
				.asciiobject_size = sizeof(PyASCIIObject),
			},
	};
#endif
	memcpy(bytes, &offsets, sizeof offsets < sizeof bytes ? sizeof offsets : sizeof bytes);
	return bytes;
}
#else
static const void *runtime(void)
{
	return NULL;
}
#endif

static void check_frames(const struct python_layout *l)
{
#if PY_VERSION_HEX >= 0x030d0000
	expect("thread_frame", l->thread_frame, offsetof(PyThreadState, current_frame));
	expect("frame_code", l->frame_code, offsetof(_PyInterpreterFrame, f_executable));
	expect("frame_instr", l->frame_instr, offsetof(_PyInterpreterFrame, instr_ptr));
#elif PY_VERSION_HEX >= 0x030b0000
	expect("thread_frame", l->thread_frame, offsetof(PyThreadState, cframe));
	expect("cframe_frame", l->cframe_frame, offsetof(_PyCFrame, current_frame));
	expect("frame_code", l->frame_code, offsetof(_PyInterpreterFrame, f_code));
	expect("frame_instr", l->frame_instr, offsetof(_PyInterpreterFrame, prev_instr));
#else
	expect("thread_frame", l->thread_frame, offsetof(PyThreadState, frame));
	expect("frame_previous", l->frame_previous, offsetof(PyFrameObject, f_back));
	expect("frame_code", l->frame_code, offsetof(PyFrameObject, f_code));
	expect("frame_instr", l->frame_instr, offsetof(PyFrameObject, f_lasti));
#endif
#if PY_VERSION_HEX >= 0x030b0000
	expect("frame_previous", l->frame_previous, offsetof(_PyInterpreterFrame, previous));
	expect("frame_owner", l->frame_owner, offsetof(_PyInterpreterFrame, owner));
#endif
	expect("has_cframe", l->has_cframe, PY_MINOR_VERSION == 11 || PY_MINOR_VERSION == 12);
#if PY_VERSION_HEX >= 0x030e0000
	expect("owner", PYTHON_OWNER_INTERPRETER, FRAME_OWNED_BY_INTERPRETER);
#elif PY_VERSION_HEX >= 0x030c0000
	expect("owner", PYTHON_OWNER_INTERPRETER, FRAME_OWNED_BY_CSTACK);
#endif
}

static void check_code(const struct python_layout *l)
{
	expect("code_file", l->code_file, offsetof(PyCodeObject, co_filename));
	expect("code_first_line", l->code_first_line, offsetof(PyCodeObject, co_firstlineno));
#if PY_VERSION_HEX >= 0x030b0000
	expect("code_name", l->code_name, offsetof(PyCodeObject, co_qualname));
	expect("code_bytes", l->code_bytes, offsetof(PyCodeObject, co_code_adaptive));
	expect("code_size", l->code_size, offsetof(PyCodeObject, co_code_adaptive));
	expect("lines", l->lines, PYTHON_LOCATIONS);
#else
	expect("code_name", l->code_name, offsetof(PyCodeObject, co_name));
	expect("code_bytes", l->code_bytes, 0);
	expect("code_size", l->code_size, sizeof(PyCodeObject));
	expect("instr_unit", l->instr_unit, PY_MINOR_VERSION == 10 ? 2 : 1);
	expect("lines", l->lines, PY_MINOR_VERSION == 10 ? PYTHON_RANGES : PYTHON_LNOTAB);
#endif
#if PY_VERSION_HEX >= 0x030a0000
	expect("code_lines", l->code_lines, offsetof(PyCodeObject, co_linetable));
#else
	expect("code_lines", l->code_lines, offsetof(PyCodeObject, co_lnotab));
#endif
}

int main(void)
{
	struct python_layout l;
	const char *why = "";

	if (!python_layout_find(&l, PY_MINOR_VERSION, runtime(), &why)) {
		printf("3.%d: %s\n", PY_MINOR_VERSION, why);
		return 1;
	}
	check_frames(&l);
	check_code(&l);
	expect("str_ascii", l.str_ascii, sizeof(PyASCIIObject));
	expect("str_compact", l.str_compact, sizeof(PyCompactUnicodeObject));
	expect("str_length", l.str_length, offsetof(PyASCIIObject, length));
	expect("str_state", l.str_state, offsetof(PyASCIIObject, state));
	expect("bytes_size", l.bytes_size, offsetof(PyVarObject, ob_size));
	expect("bytes_data", l.bytes_data, offsetof(PyBytesObject, ob_sval));
	expect("size of a type", PYTHON_TYPE_SIZE, offsetof(PyTypeObject, tp_basicsize));
	expect("str_compact and a pointer", l.str_compact + 8, sizeof(PyUnicodeObject));
	expect("object_type", l.object_type, offsetof(PyObject, ob_type));
	return wrong;
}
