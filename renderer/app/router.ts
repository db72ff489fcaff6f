import { createRouter, createWebHashHistory } from 'vue-router'
import { ROUTES } from './routes.ts'
import { mayNavigate } from './unsaved.ts'

/** Routes live in the hash, so neither home has to know them. */
export const router = createRouter({ history: createWebHashHistory(), routes: [...ROUTES] })

router.beforeEach(mayNavigate)
