"""A meter with a response of its own, as `trauma sensors --measure --power line=FIFO` reads it: 20 W, and 30 W more for each
second of processor time of the processes whose command line has the FIFO in it.

wave_meter.py FIFO UPDATE WINDOW LAG SECONDS    the mean over the window, that late, in a line each update
"""
import os
import sys
import time
from bisect import bisect_left

fifo = sys.argv[1]
update, window, lag, seconds = (float(word) for word in sys.argv[2:])
word = "line=" + fifo


def found():
    """The numbers of the processes."""
    numbers = []
    for name in os.listdir("/proc"):
        try:
            if name.isdigit() and int(name) != os.getpid() and word in open(f"/proc/{name}/cmdline").read():
                numbers.append(name)
        except OSError:
            pass
    return numbers


worked = {}


def worked_s(numbers):
    """Processor time of all of them, also of those that have ended."""
    for number in numbers:
        try:
            with open(f"/proc/{number}/schedstat") as file:
                worked[number] = 1e-9 * int(file.read().split()[0])
        except OSError:
            pass
    return sum(worked.values())


def joules_at(t):
    """Between the moments at which they were read."""
    i = min(max(bisect_left(moments, t), 1), len(moments) - 1)
    share = (t - moments[i - 1]) / (moments[i] - moments[i - 1])
    return joules[i - 1] + min(max(share, 0), 1) * (joules[i] - joules[i - 1])


line = os.open(fifo, os.O_RDWR)
begin = looked = time.monotonic()
due = begin + update
moments, joules, numbers = [begin], [0.0], []
while time.monotonic() < begin + seconds:
    time.sleep(0.004)
    now = time.monotonic()
    if now - looked > 0.3:
        looked, numbers = now, found()
    moments.append(now)
    joules.append(20 * (now - begin) + 30 * worked_s(numbers))
    if now < due:
        continue
    due += update
    end = now - lag
    if end - window > begin:
        os.write(line, b"%.2f\n" % ((joules_at(end) - joules_at(end - window)) / window))
