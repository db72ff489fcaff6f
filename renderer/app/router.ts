import { createRouter, createWebHashHistory } from 'vue-router'
import { ROUTES } from './routes.ts'
import { mayNavigate } from './unsaved.ts'

/** Routes are in the URL's hash, so neither the service nor the desktop app needs to know them. */
export const router = createRouter({ history: createWebHashHistory(), routes: [...ROUTES] })

router.beforeEach(mayNavigate)
