/**
 * Loaded into processes of tests (`--import`): each ends when the process that started it is gone, so that a test run
 * that is killed leaves nothing behind. The system gives an orphan another parent; Windows does not. No TypeScript:
 * what removes the types would stay in the memory of the process, 12 MB of it.
 */
const parent = process.ppid

setInterval(() => {
  if (process.ppid !== parent) process.exit(1)
}, 500).unref()
