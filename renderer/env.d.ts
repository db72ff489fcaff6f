/// <reference types="vite/client" />

// vue-tsc reads the components themselves; this is what plain TypeScript tools, such as the linter, see instead.
declare module '*.vue' {
  import type { DefineComponent } from 'vue'
  const component: DefineComponent
  export default component
}
