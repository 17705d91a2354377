/** One of our own processes: serves its pid on a port, and ends with its parent. */
import { createServer } from 'node:http';
import { exitWhenParentDies } from '../../../src/sandbox/embedded/exitWhenParentDies';

exitWhenParentDies(() => process.exit(0));
createServer((_request, response) => response.end(String(process.pid))).listen(
  Number(process.argv[2]),
  '127.0.0.1',
);
