/* SPDX-License-Identifier: MIT
 * python_layout.c -- where CPython 3.8 to 3.15 keep what a stack is read from.
 */
#include "capture/python_layout.h"

#include <string.h>

/* What all of them share: PyObject, PyVarObject and the head of a str. */
#define COMMON \
	.object_type = 8, .bytes_size = 16, .bytes_data = 32, .str_length = 16, .str_state = 32

/* 3.8 to 3.10: frames are objects. */
#define FRAME_OBJECTS                                                                         \
	COMMON, .thread_frame = 24, .frame_previous = 24, .frame_code = 32, .code_file = 104, \
		.code_name = 112, .code_first_line = 40, .code_lines = 120, .str_ascii = 48,  \
		.str_compact = 72

static const struct python_layout known[] = {
	{.minor = 8,
	 FRAME_OBJECTS,
	 .frame_instr = 104,
	 .instr_unit = 1,
	 .code_size = 176,
	 .lines = PYTHON_LNOTAB},
	{.minor = 9,
	 FRAME_OBJECTS,
	 .frame_instr = 104,
	 .instr_unit = 1,
	 .code_size = 176,
	 .lines = PYTHON_LNOTAB},
	{.minor = 10,
	 FRAME_OBJECTS,
	 .frame_instr = 96,
	 .instr_unit = 2,
	 .code_size = 176,
	 .lines = PYTHON_RANGES},
	{.minor = 11,
	 COMMON,
	 .thread_frame = 56,
	 .has_cframe = true,
	 .cframe_frame = 8,
	 .frame_previous = 48,
	 .frame_code = 32,
	 .frame_instr = 56,
	 .frame_owner = 69,
	 .code_file = 112,
	 .code_name = 128,
	 .code_first_line = 72,
	 .code_lines = 136,
	 .code_size = 184,
	 .code_bytes = 184,
	 .str_ascii = 48,
	 .str_compact = 72,
	 .lines = PYTHON_LOCATIONS},
	{.minor = 12,
	 COMMON,
	 .thread_frame = 56,
	 .has_cframe = true,
	 .cframe_frame = 0,
	 .frame_previous = 8,
	 .frame_code = 0,
	 .frame_instr = 56,
	 .frame_owner = 70,
	 .code_file = 112,
	 .code_name = 128,
	 .code_first_line = 68,
	 .code_lines = 136,
	 .code_size = 192,
	 .code_bytes = 192,
	 .str_ascii = 40,
	 .str_compact = 56,
	 .lines = PYTHON_LOCATIONS},
};

/* _Py_DebugOffsets: the words of 8 bytes at which each version keeps its offsets. */
enum word {
	WORD_COOKIE,
	WORD_VERSION,
	WORD_FREE_THREADED,
};

static const struct words {
	unsigned minor;
	uint8_t thread_frame, frame_previous, code_file, object_type, bytes_size, str_state;
} words[] = {
	{13, 23, 29, 35, 45, 65, 68},
	{14, 26, 32, 40, 51, 75, 78},
	{15, 26, 40, 48, 59, 87, 90},
};

static const char cookie[] = "xdebugpy";

static bool from_runtime(struct python_layout *out, const struct words *k, const uint64_t *w,
			 const char **why)
{
	/* Offsets that stand side by side in each version. */
	const uint64_t *frame = w + k->frame_previous, *code = w + k->code_file;

	if (memcmp(w, cookie, sizeof cookie - 1) != 0 ||
	    w[WORD_VERSION] >> 16 != (0x300u | k->minor)) {
		*why = "it does not tell where its frames are";
		return false;
	}
	if (w[WORD_FREE_THREADED]) {
		*why = "it is a free-threaded one";
		return false;
	}
	*out = (struct python_layout){
		.minor = (uint16_t)k->minor,
		.thread_frame = (uint16_t)w[k->thread_frame],
		.frame_previous = (uint16_t)frame[0],
		.frame_code = (uint16_t)frame[1],
		.frame_instr = (uint16_t)frame[2],
		.frame_owner = (uint16_t)frame[4],
		.code_file = (uint16_t)code[0],
		.code_name = (uint16_t)code[2],
		.code_lines = (uint16_t)code[3],
		.code_first_line = (uint16_t)code[4],
		.code_size = (uint16_t)code[8],
		.code_bytes = (uint16_t)code[8],
		.object_type = (uint16_t)w[k->object_type],
		.bytes_size = (uint16_t)w[k->bytes_size],
		.bytes_data = (uint16_t)w[k->bytes_size + 1],
		.str_state = (uint16_t)w[k->str_state],
		.str_length = (uint16_t)w[k->str_state + 1],
		.str_ascii = (uint16_t)w[k->str_state + 2],
		/* PyCompactUnicodeObject adds a length and a pointer. */
		.str_compact = (uint16_t)(w[k->str_state + 2] + 16),
		.lines = PYTHON_LOCATIONS,
	};
	return true;
}

bool python_layout_find(struct python_layout *out, unsigned minor, const void *runtime,
			const char **why)
{
	uint64_t w[PYTHON_RUNTIME_BYTES / 8];

#if __SIZEOF_POINTER__ != 8 || __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
	*why = "this machine's builds are not known";
	return false;
#endif
	for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
		if (known[i].minor == minor) {
			*out = known[i];
			return true;
		}
	}
	for (size_t i = 0; runtime && i < sizeof words / sizeof *words; i++) {
		if (words[i].minor == minor) {
			memcpy(w, runtime, sizeof w);
			return from_runtime(out, &words[i], w, why);
		}
	}
	*why = "this version is not known";
	return false;
}
