import { resolve } from 'node:path'

interface Route {
  readonly path: string
  readonly redirect?: string
}

// By its path: the types of the tests know no .vue files, which the routes name.
const ROOMS = resolve(import.meta.dirname, '../../renderer/app/routes.ts')
const { ROUTES } = (await import(ROOMS)) as { ROUTES: readonly Route[] }

/** What a home holds, so that every place has something to show. */
export interface Holdings {
  readonly instance: string
  readonly unpaired: string
  /** A group that `instance` is an admin of, with somebody who asks to join. */
  readonly group: string
  /** Its phone has scanned, and its account asks for a passkey. */
  readonly confirming: string
  /** Live, not paired. */
  readonly live: string
  readonly official: string
  /** Official, connected, with the number of a phone. */
  readonly linkable: string
  readonly webhook: string
  /** A webhook that does not get every event. */
  readonly selective: string
  readonly chat: string
  /** A campaign that was sent. */
  readonly campaign: string
  /** One that is not finished, with people and two variations. */
  readonly draft: string
  /** One that begins tomorrow. */
  readonly scheduled: string
  readonly number: string
  /** Has an agent, its knowledge, stages and chats. */
  readonly agents: string
  /** A sub-account with a key. */
  readonly client: string
  /** Of a call that the agent made, and a call that nobody took. */
  readonly recording: string
  readonly missed: string
  /** A call of tomorrow. */
  readonly planned: string
  /** For a web page. */
  readonly widget: string
}

/** Where each route of the router is visited. */
const VISITS: Readonly<Record<string, (holdings: Holdings) => readonly string[]>> = {
  '/overview': () => ['/overview'],
  '/welcome': () => ['/welcome'],
  '/instances': () => ['/instances'],
  '/instances/wall': () => ['/instances/wall'],
  '/instances/:id': ({ instance, unpaired, live, official, group }) => [
    `/instances/${instance}?tab=groups&group=${group}`,
    ...[instance, unpaired, live, official].flatMap((id) =>
      ['', '?tab=settings', '?tab=groups', '?tab=templates', '?tab=crm'].map((tab) => `/instances/${id}${tab}`),
    ),
  ],
  '/messages/:instance?/:chat?': ({ instance, chat }) => [
    '/messages',
    `/messages/${instance}`,
    `/messages/${instance}/${chat}`,
  ],
  '/contacts': () => ['/contacts'],
  '/contacts/import': () => ['/contacts/import'],
  '/opt-outs': () => ['/opt-outs', '/opt-outs?tab=questions', '/opt-outs?tab=words'],
  '/opt-outs/import': () => ['/opt-outs/import'],
  '/campaigns': () => ['/campaigns'],
  '/campaigns/edit/:id?': ({ draft }) => [
    '/campaigns/edit',
    ...['numbers', 'message', 'people', 'pace', 'review'].map((step) => `/campaigns/edit/${draft}?step=${step}`),
  ],
  '/campaigns/:id': ({ campaign, scheduled }) => [
    ...['', '?tab=people', '?tab=report'].map((tab) => `/campaigns/${campaign}${tab}`),
    `/campaigns/${scheduled}`,
  ],
  '/agents': () => ['/agents'],
  '/agents/:id': ({ agents, instance }) => [
    `/agents/${instance}`,
    ...['', 'knowledge', 'stages', 'followUp', 'limits', 'try', 'evaluate', 'chats'].map(
      (tab) => `/agents/${agents}${tab && `?tab=${tab}`}`,
    ),
  ],
  '/calls': () => ['/calls', '/calls?state=busy', '/calls?tab=planned'],
  '/calls/schedule': ({ agents }) => ['', '&mode=many'].map((mode) => `/calls/schedule?instance=${agents}${mode}`),
  '/calls/:instance/:call': ({ agents, missed, planned }) => [missed, planned].map((id) => `/calls/${agents}/${id}`),
  '/recordings': () => ['/recordings'],
  '/recordings/:instance/:id': ({ agents, recording }) => [`/recordings/${agents}/${recording}?t=2`],
  '/recordings/:instance/calls/:call': ({ agents, missed }) => [`/recordings/${agents}/calls/${missed}`],
  '/voice': () => ['/voice', '/voice?tab=speech'],
  '/voice/:id': ({ agents, live }) => [agents, live].map((id) => `/voice/${id}`),
  '/voice/:id/widgets': ({ agents, live }) => [agents, live].map((id) => `/voice/${id}/widgets`),
  '/voice/:id/widgets/:widget': ({ agents, widget }) => [`/voice/${agents}/widgets/${widget}`],
  '/softphone': ({ agents }) => ['/softphone', `/softphone?instance=${agents}&to=12025550123`],
  '/clients': () => ['/clients'],
  '/clients/:id': ({ client }) =>
    ['', '?tab=settings', '?tab=keys', '?tab=usage', '?tab=billing', '?tab=brand'].map(
      (tab) => `/clients/${client}${tab}`,
    ),
  '/brand': () => ['/brand'],
  '/billing': () =>
    ['', '?tab=invoices', '?tab=history', '?tab=costs', '?tab=clients', '?tab=provider'].map((tab) => `/billing${tab}`),
  '/team': () => ['/team'],
  '/activity': () => ['/activity'],
  '/webhooks': () => ['/webhooks'],
  '/webhooks/deliveries': () => ['/webhooks/deliveries'],
  '/webhooks/:id': ({ webhook }) => ['', '?tab=catcher', '?tab=verify'].map((tab) => `/webhooks/${webhook}${tab}`),
  '/events': () => ['/events'],
  '/keys': () => ['/keys'],
  '/assistants/:tab(approvals|connect|calls)?': () =>
    ['approvals', 'connect', 'calls'].map((tab) => `/assistants/${tab}`),
  '/sandbox': () => ['/sandbox'],
  '/sandbox/phones/:number': ({ number }) => [`/sandbox/phones/${number}`],
  '/sandbox/faults': () => ['/sandbox/faults'],
  '/sandbox/catchers/:catcher?': () => ['/sandbox/catchers', '/sandbox/catchers/window'],
  '/settings': () => ['/settings'],
  '/settings/api': () => ['/settings/api'],
  '/help/:section?': () => ['/help', '/help/pair-a-number'],
}

/** Every place of the window. @throws when a route has no visit, so that a new screen cannot go unseen. */
export function everyPlace(holdings: Holdings): readonly string[] {
  const screens = ROUTES.filter(({ redirect }) => redirect === undefined).map(({ path }) => path)
  const unseen = screens.filter((path) => !(path in VISITS))
  const gone = Object.keys(VISITS).filter((path) => !screens.includes(path))
  if (unseen.length > 0 || gone.length > 0)
    throw new Error(
      `test/window/places.ts: visit ${unseen.join(', ') || 'nothing'}; forget ${gone.join(', ') || 'nothing'}.`,
    )
  return Object.values(VISITS).flatMap((placesOf) => placesOf(holdings))
}
