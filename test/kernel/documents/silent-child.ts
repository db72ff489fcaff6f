import { parentPort } from 'node:worker_threads'

/** Takes documents and never answers. */
parentPort?.on('message', () => {})
