import { takeRouteOf } from './route.ts'

// For `node --import`: the process that loads this meets the stand-in where it means the real network.
takeRouteOf(process.env)
