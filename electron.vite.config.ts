import { resolve } from 'node:path'
import ui from '@nuxt/ui/vite'
import vue from '@vitejs/plugin-vue'
import { defineConfig } from 'electron-vite'
import { operationTable } from './main/capabilities/contracts.ts'
import manifest from './package.json' with { type: 'json' }

const at = (path: string) => resolve(import.meta.dirname, path)

// Every target is written out: electron-vite derives missing ones from the Electron version it happens to know.
export default defineConfig({
  main: {
    build: {
      target: 'node24',
      sourcemap: true,
      // Their hundreds of small files cost an idle service 16 MB each and every start 80 ms (measured); bundled, only
      // what is used stays.
      externalizeDeps: { exclude: ['typebox', 'libphonenumber-js', 'luxon'] },
      rolldownOptions: {
        input: {
          desktop: at('main/desktop.ts'),
          headless: at('main/headless.ts'),
          start: at('main/start.ts'),
          'maintenance-program': at('main/storage/maintenance-program.ts'),
          'media-program': at('main/kernel/media-program.ts'),
          'document-program': at('main/kernel/documents/document-program.ts'),
          'document-thread': at('main/kernel/documents/document-thread.ts'),
          'voice-program': at('main/voice/voice-program.ts'),
          'flite-thread': at('main/voice/speech/flite-thread.ts'),
        },
      },
    },
  },
  preload: {
    define: { __VERSION__: JSON.stringify(manifest.version) },
    build: {
      target: 'node24',
      // A sandboxed window can load neither an ES module nor a package, hence CommonJS with everything inside.
      externalizeDeps: false,
      rolldownOptions: {
        input: { index: at('preload/index.ts') },
        output: { format: 'cjs', entryFileNames: '[name].cjs' },
      },
    },
  },
  renderer: {
    root: at('renderer'),
    // Importing the contracts would put every schema, description and example into the window.
    define: { __OPERATIONS__: JSON.stringify(operationTable()) },
    plugins: [
      vue(),
      ui({
        root: at('.'),
        autoImport: false,
        // Beside the package's other generated files: a build must not change the sources it was made from.
        components: { dirs: [], dts: at('node_modules/.nuxt-ui/components.d.ts') },
        // Icons are bundled: one fetched from a public address would be refused, and would tell that address of us.
        icon: { clientBundle: { scan: { globInclude: [at('renderer/**/*.{vue,ts}')] }, sizeLimitKb: 512 } },
        ui: {
          colors: { primary: 'teal', neutral: 'slate' },
          // The button that closes it lies over the header, so a long title ends before it.
          modal: { slots: { header: 'pe-14 sm:pe-14' } },
          // A list is as wide as its longest name, but never wider than the window.
          select: { slots: { content: 'max-w-[calc(100vw-2rem)]' } },
          dropdownMenu: { slots: { content: 'max-w-[calc(100vw-2rem)]' } },
          // A name that is cut off says so.
          inputMenu: { slots: { base: 'text-ellipsis' } },
          // Each circle is nearer to its own words than to those before it.
          radioGroup: { variants: { orientation: { horizontal: { fieldset: 'flex-row flex-wrap gap-x-4' } } } },
        },
      }),
    ],
    resolve: {
      alias: [
        { find: 'aria-hidden', replacement: at('renderer/app/hide-others.ts') },
        { find: /^fflate$/, replacement: at('renderer/app/zip-here.ts') },
      ],
    },
    server: { port: 5199, strictPort: true, hmr: { protocol: 'ws', host: 'localhost', clientPort: 5199 } },
    build: {
      target: 'chrome152',
      // Inlined assets would become data: addresses, which the content security policy refuses for fonts.
      assetsInlineLimit: 0,
      rolldownOptions: { input: { index: at('renderer/index.html') } },
    },
  },
})
