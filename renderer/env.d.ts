/// <reference types="vite/client" />

// vue-tsc reads the components themselves; plain TypeScript tools, such as the linter, see this declaration.
declare module '*.vue' {
  import type { DefineComponent } from 'vue'
  const component: DefineComponent
  export default component
}
