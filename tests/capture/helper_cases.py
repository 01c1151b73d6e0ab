# SPDX-License-Identifier: MIT
"""helper_cases.py -- cases of vramscope.py against a fake torch. Prints TAP; folder in argv[1]."""

import json
import logging
import os
import signal
import subprocess
import sys
import tempfile
import threading
import unittest

import torch
import vramscope

logging.disable(logging.CRITICAL)
PREFIX_VARIABLES = ("RANK", "SLURM_PROCID", "OMPI_COMM_WORLD_RANK", "PMI_RANK", "LOCAL_RANK")


class Cases(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(dir=sys.argv[1])
        self.hooks = (sys.excepthook, threading.excepthook)
        torch.calls.clear()
        torch.observers.clear()
        torch.ranges.clear()
        torch.state.dumps, torch.state.refuse, torch.state.fail_dump = 0, (), None
        for name in list(os.environ):
            if name in PREFIX_VARIABLES or name.startswith(("VRAMSCOPE_", "FAKE_")):
                del os.environ[name]

    def tearDown(self):
        vramscope.stop()
        self.assertEqual((sys.excepthook, threading.excepthook), self.hooks)

    def start(self, **options):
        options.setdefault("on_exit", False)
        self.assertTrue(vramscope.start(self.folder, **options))

    def names(self, suffix):
        return sorted(n for n in os.listdir(self.folder) if n.endswith(suffix))

    def read(self, name):
        with open(os.path.join(self.folder, name), encoding="utf-8") as f:
            return f.read()

    def test_start_and_stop_reach_torch(self):
        self.start(max_entries=7, stacks="all")
        wanted = {"max_entries": 7, "stacks": "all", "global_record_annotations": True}
        self.assertEqual(torch.calls, [("all", wanted)])
        self.assertFalse(vramscope.start(self.folder))
        vramscope.stop()
        self.assertEqual(torch.calls[1:], [(None, {})])
        self.assertEqual(vramscope.status(), {})

    def test_older_torch_gets_what_it_knows(self):
        torch.state.refuse = ("global_record_annotations", "stacks")
        self.start()
        self.assertEqual(torch.calls, [("all", {"max_entries": 100_000})])

    def test_settings_from_the_environment(self):
        os.environ["VRAMSCOPE_TORCH_DIR"] = self.folder
        os.environ["VRAMSCOPE_TORCH_MAX_ENTRIES"] = "123"
        os.environ["VRAMSCOPE_TORCH_EVERY"] = "1"
        os.environ["SLURM_PROCID"] = "5"
        self.assertTrue(vramscope.start(on_exit=False))
        with vramscope.step():
            pass
        self.assertEqual(torch.calls[0][1]["max_entries"], 123)
        (name,) = self.names(".pickle")
        self.assertTrue(name.endswith("_rank5.pickle"), name)

    def test_no_gpu_no_recording(self):
        os.environ["FAKE_NO_CUDA"] = "1"
        self.assertFalse(vramscope.start(self.folder))
        self.assertEqual(torch.calls, [])

    def test_steps_are_named_and_dump_every_n(self):
        self.start(every=2, keep=2)
        for _ in range(7):
            with vramscope.step():
                pass
        self.assertEqual(torch.ranges[:2], ["## step 0 ##", "## step 1 ##"])
        self.assertEqual(vramscope.status()["steps"], 7)
        kept = [json.loads(self.read(n))["dump"] for n in self.names(".pickle")]
        self.assertEqual(sorted(kept), [2, 3])
        self.assertEqual(self.names(".part"), [])

    def test_a_burst_is_one_dump(self):
        self.start()
        for alloc in (1, 2, 3):
            torch.run_out(alloc=alloc)
            vramscope._current.last_dump_seconds = 0.0  # so the next one is not too soon
        (observer,) = self.names(".observer.json")
        self.assertEqual(
            json.loads(self.read(observer)),
            {"device": 0, "alloc": 3, "device_alloc": 80, "device_free": 3},
        )
        self.assertEqual((len(self.names(".pickle")), torch.state.dumps), (1, 3))
        self.assertEqual(vramscope.status()["ooms"], 3)

    def test_too_soon_is_dumped_with_the_exception(self):
        self.start()
        torch.run_out(alloc=1)
        vramscope._current.last_dump_seconds = 1000.0
        torch.run_out(alloc=2)
        self.assertEqual(torch.state.dumps, 1)
        with self.assertRaises(torch.OutOfMemoryError):
            with vramscope.watch():
                raise torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 2")
        self.assertEqual(torch.state.dumps, 2)
        (observer,) = self.names(".observer.json")
        self.assertEqual(json.loads(self.read(observer))["alloc"], 2)

    def test_the_message_lies_beside_the_dump(self):
        self.start()
        torch.run_out()
        sys.excepthook, ours = (lambda *a: None), sys.excepthook
        sys.excepthook = ours
        with self.assertRaises(torch.OutOfMemoryError):
            with vramscope.watch():
                raise torch.OutOfMemoryError("CUDA out of memory. é")
        (message,) = self.names(".message.txt")
        self.assertEqual(self.read(message), "CUDA out of memory. é\n")
        self.assertEqual(message[:-12], self.names(".pickle")[0][:-7])

    def test_other_errors_leave_no_message(self):
        self.start()
        torch.run_out()
        with self.assertRaises(ValueError):
            with vramscope.watch():
                raise ValueError("CUDA out of memory?")
        self.assertEqual(self.names(".message.txt"), [])

    def test_a_threads_exception_is_seen(self):
        quiet, threading.excepthook = threading.excepthook, lambda args: None
        self.start()
        torch.run_out()

        def fail():
            raise torch.OutOfMemoryError("CUDA out of memory in a thread")

        thread = threading.Thread(target=fail)
        thread.start()
        thread.join()
        vramscope.stop()
        threading.excepthook = quiet
        self.assertEqual(len(self.names(".message.txt")), 1)

    def test_old_oom_dumps_go_with_what_lies_beside(self):
        self.start(keep=2)
        for alloc in range(4):
            torch.run_out(alloc=alloc)
            with self.assertRaises(torch.OutOfMemoryError):
                with vramscope.watch():
                    raise torch.OutOfMemoryError("CUDA out of memory %d" % alloc)
            vramscope._current.last_oom_time -= 1000.0  # a failure of its own
        for suffix in (".pickle", ".observer.json", ".message.txt"):
            self.assertEqual(len(self.names(suffix)), 2, suffix)

    def test_signal_dumps_and_calls_what_was_there(self):
        seen = []
        signal.signal(signal.SIGUSR1, lambda *a: seen.append(a[0]))
        self.start(on_signal="USR1")
        os.kill(os.getpid(), signal.SIGUSR1)
        self.assertEqual((len(self.names(".pickle")), seen), (1, [signal.SIGUSR1]))
        vramscope.stop()
        os.kill(os.getpid(), signal.SIGUSR1)
        self.assertEqual((len(self.names(".pickle")), len(seen)), (1, 2))
        signal.signal(signal.SIGUSR1, signal.SIG_DFL)

    def test_a_failed_dump_leaves_nothing_and_raises_nothing(self):
        self.start()
        torch.state.fail_dump = OSError("disk full")
        self.assertIsNone(vramscope.dump())
        torch.run_out()
        self.assertEqual(os.listdir(self.folder), [])

    def test_dump_to_a_path(self):
        self.start()
        path = os.path.join(self.folder, "mine.pickle")
        self.assertEqual(vramscope.dump(path), path)
        self.assertEqual(os.listdir(self.folder), ["mine.pickle"])

    def test_unwritable_folder_is_a_line_of_logging(self):
        self.assertFalse(vramscope.start("/proc/nothing/here"))

    def test_exit_dumps(self):
        program = "import sys, vramscope; vramscope.start(sys.argv[1])"
        subprocess.run([sys.executable, "-c", program, self.folder], check=True)
        self.assertEqual(len(self.names(".pickle")), 1)

    def test_uncaught_error_has_its_message_and_its_traceback(self):
        program = (
            "import sys, torch, vramscope; vramscope.start(sys.argv[1]); torch.run_out()\n"
            "raise torch.OutOfMemoryError('CUDA out of memory, uncaught')"
        )
        done = subprocess.run(
            [sys.executable, "-c", program, self.folder], capture_output=True, text=True
        )
        self.assertEqual(done.returncode, 1)
        self.assertIn("OutOfMemoryError: CUDA out of memory, uncaught", done.stderr)
        self.assertIn("uncaught", self.read(self.names(".message.txt")[0]))


if __name__ == "__main__":
    tests = list(unittest.defaultTestLoader.loadTestsFromTestCase(Cases))
    print("1..%d" % len(tests))
    for number, test in enumerate(tests, 1):
        result = unittest.TestResult()
        test.run(result)
        trouble = result.failures + result.errors
        words = test.id().rsplit(".", 1)[-1][5:].replace("_", " ")
        print("%sok %d - %s" % ("not " if trouble else "", number, words))
        for _, text in trouble:
            print("".join("#   %s\n" % line for line in text.splitlines()), end="")
