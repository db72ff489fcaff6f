/**
 * Runs in the page before its own code: the real built preload, in a closure whose `require` knows Electron alone. What
 * crosses is cloned or refused with Electron's words. The binding is taken away before the page could see it.
 */
export function preloadScript(code: string, secret: string): string {
  return `(() => {
  const secret = ${JSON.stringify(secret)}
  const ask = window[secret + '-ask']
  delete window[secret + '-ask']
  // Frames within the page get no preload: nodeIntegrationInSubFrames is off.
  if (window !== window.top) return
  const listeners = new Map()
  addEventListener(secret, ({ detail: { channel, given } }) => {
    for (const act of listeners.get(channel) ?? []) act({ sender: undefined }, ...given)
  })
  const crossing = (value) => {
    if (typeof value === 'function') return (...given) => crossing(value(...given.map(crossing)))
    if (value instanceof Promise) return value.then(crossing)
    if (Array.isArray(value)) return Object.freeze(value.map(crossing))
    if (value !== null && typeof value === 'object') {
      if (Object.getPrototypeOf(value) !== Object.prototype) throw new Error('An object could not be cloned.')
      return Object.freeze(Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, crossing(inner)])))
    }
    return value
  }
  const electron = {
    contextBridge: {
      exposeInMainWorld: (name, api) =>
        Object.defineProperty(window, name, { value: crossing(api), writable: false, configurable: false, enumerable: true }),
    },
    ipcRenderer: {
      invoke: async (channel, ...given) => {
        const { value, refused } = await ask(channel, structuredClone(given))
        if (refused !== undefined) throw new Error(refused)
        return value
      },
      on: (channel, act) => void listeners.set(channel, [...(listeners.get(channel) ?? []), act]),
      off: (channel, act) => void listeners.set(channel, (listeners.get(channel) ?? []).filter((one) => one !== act)),
    },
  }
  const require = (name) => {
    if (name === 'electron') return electron
    throw new Error('module not found: ' + name)
  }
  const process = Object.freeze({ platform: ${JSON.stringify(process.platform)} })
  const module = { exports: {} }
  ;((require, process, module, exports) => {${code}
  })(require, process, module, module.exports)
})()`
}
