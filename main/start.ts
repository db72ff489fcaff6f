// The pool of libuv is sized when it is first used; four threads would let one dead DNS name hold up everything.
// eslint-disable-next-line no-restricted-properties -- not a setting of ours: the runtime reads it, once
process.env['UV_THREADPOOL_SIZE'] ??= '16'

const { runCommand } = await import('./commands/run.ts')
const { endWith } = await import('./commands/terminal.ts')
endWith(await runCommand('start', process.argv.slice(2), { entry: import.meta.filename }), 'start')

export {}
