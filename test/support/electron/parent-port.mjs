/** How a utility process of Electron talks to the one that started it, over Node's own channel. */
Object.assign(process, {
  parentPort: {
    on: (/** @type {string} */ name, /** @type {(event: { data: unknown }) => void} */ listener) =>
      void process.on(name, (data) => listener({ data })),
    postMessage: (/** @type {unknown} */ message) => void process.send?.(message),
  },
})
// Electron ends it with the process that started it.
process.on('disconnect', () => process.exit(0))
