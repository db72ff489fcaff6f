import { registerHooks } from 'node:module'

/** `node --import register.ts out/main/desktop.js`: whoever asks for Electron gets the stand-in. */
const standIn = new URL('./electron.ts', import.meta.url).href

registerHooks({
  resolve: (specifier, context, next) =>
    specifier === 'electron' || specifier === 'electron/main'
      ? { url: standIn, shortCircuit: true }
      : next(specifier, context),
})
