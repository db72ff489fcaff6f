import { takeRouteOf } from './route.ts'

// Loaded with `node --import`: connections of this process to the real network lead to the stand-in.
takeRouteOf(process.env)
