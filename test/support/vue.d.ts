/** The window's routes name their screens; what a screen is, only vue-tsc knows (renderer/tsconfig.json). */
declare module '*.vue' {
  import type { Component } from 'vue'

  const screen: Component
  export default screen
}
