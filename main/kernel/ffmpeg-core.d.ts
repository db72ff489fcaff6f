declare module '@ffmpeg/core' {
  export interface Core {
    readonly FS: {
      writeFile(path: string, bytes: Uint8Array): void
      readFile(path: string): Uint8Array
    }
    /** @returns the exit code; 0: success. */
    exec(...args: string[]): number
  }

  export default function createCore(options: {
    instantiateWasm(imports: WebAssembly.Imports, receive: (instance: WebAssembly.Instance) => void): object
  }): Promise<Core>
}
