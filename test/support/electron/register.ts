import { registerHooks } from 'node:module'

/** `node --import register.ts out/main/desktop.js`: whoever asks for Electron, or for the keychain, gets the stand-in. */
const STAND_INS: Readonly<Record<string, string>> = {
  electron: new URL('./electron.ts', import.meta.url).href,
  'electron/main': new URL('./electron.ts', import.meta.url).href,
  keytar: new URL('./keytar.ts', import.meta.url).href,
}

registerHooks({
  resolve(specifier, context, next) {
    const url = STAND_INS[specifier]
    return url === undefined ? next(specifier, context) : { url, shortCircuit: true }
  },
})
