// The pool of libuv is sized when it is first used; four threads would let one dead DNS name hold up everything.
// eslint-disable-next-line no-restricted-properties -- not a setting of ours: the runtime reads it, once
process.env['UV_THREADPOOL_SIZE'] ??= '16'

const [command = '', ...argv] = process.argv.slice(2)
const { runCommand } = await import('./commands/run.ts')
const { endWith } = await import('./commands/terminal.ts')
endWith(await runCommand(command, argv, { entry: import.meta.filename }), command)

export {}
