import type { RouteRecordRaw } from 'vue-router'
import { assistantsRoutes } from '../rooms/assistants/routes.ts'
import { helpRoutes } from '../rooms/help/routes.ts'
import { instancesRoutes } from '../rooms/instances/routes.ts'
import { keysRoutes } from '../rooms/keys/routes.ts'
import { messagesRoutes } from '../rooms/messages/routes.ts'
import { sandboxRoutes } from '../rooms/sandbox/routes.ts'
import { settingsRoutes } from '../rooms/settings/routes.ts'
import { webhooksRoutes } from '../rooms/webhooks/routes.ts'
import { welcomeRoutes } from '../rooms/welcome/routes.ts'

interface Place {
  /** Names the room's words: `<room>.title` is what the sidebar says. */
  readonly room: string
  readonly path: string
  readonly icon: string
  /** Pressed after `g`. */
  readonly key: string
}

/** The sidebar, in its order. */
export const PLACES: readonly Place[] = [
  { room: 'instances', path: '/instances', icon: 'i-lucide-smartphone', key: 'i' },
  { room: 'messages', path: '/messages', icon: 'i-lucide-messages-square', key: 'm' },
  { room: 'webhooks', path: '/webhooks', icon: 'i-lucide-webhook', key: 'w' },
  { room: 'keys', path: '/keys', icon: 'i-lucide-key-round', key: 'k' },
  { room: 'assistants', path: '/assistants', icon: 'i-lucide-bot', key: 'a' },
  { room: 'sandbox', path: '/sandbox', icon: 'i-lucide-flask-conical', key: 's' },
  { room: 'settings', path: '/settings', icon: 'i-lucide-settings-2', key: ',' },
]

export const ROUTES: readonly RouteRecordRaw[] = [
  { path: '/', redirect: '/instances' },
  ...welcomeRoutes,
  ...instancesRoutes,
  ...messagesRoutes,
  ...webhooksRoutes,
  ...keysRoutes,
  ...assistantsRoutes,
  ...sandboxRoutes,
  ...settingsRoutes,
  ...helpRoutes,
  { path: '/:rest(.*)*', redirect: '/instances' },
]
