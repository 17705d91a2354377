"""Runs a command in a terminal of its own: `pseudoTerminal.py <columns> <rows> <command>...`

What is typed comes from standard input, and what the terminal is sent goes to standard output. Once the command has
ended, one line on standard error says with which code, and whether the terminal is as it was before.
"""

import fcntl
import json
import os
import select
import struct
import sys
import termios

columns, rows, *command = sys.argv[1:]
outside, inside = os.openpty()
fcntl.ioctl(inside, termios.TIOCSWINSZ, struct.pack("HHHH", int(rows), int(columns), 0, 0))
before = termios.tcgetattr(inside)

child = os.fork()
if child == 0:
    os.setsid()
    fcntl.ioctl(inside, termios.TIOCSCTTY, 0)
    for stream in (0, 1, 2):
        os.dup2(inside, stream)
    os.closerange(3, 256)
    os.execvp(command[0], command)

watched = [outside, 0]
status = None
while True:
    ready, _, _ = select.select(watched, [], [], 0.02)
    if outside in ready:
        os.write(1, os.read(outside, 65536))
    if 0 in ready:
        typed = os.read(0, 1024)
        if typed:
            os.write(outside, typed)
        else:
            watched.remove(0)
    if status is not None and outside not in ready:
        break
    if status is None:
        ended, found = os.waitpid(child, os.WNOHANG)
        status = found if ended else None

report = {"code": os.waitstatus_to_exitcode(status), "asBefore": termios.tcgetattr(inside) == before}
print(json.dumps(report), file=sys.stderr)
