import { globSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Page } from 'playwright-core'
import type { Api } from '../support/service-process.ts'
import { askForPasskey } from './day.ts'
import type { Holdings } from './places.ts'

/** Something that opens over a screen: a dialog, a menu, a list to choose from. */
export interface Overlay {
  /** The component that has it, below renderer/. */
  readonly of: string
  readonly name: string
  /** Brings back what is over after some minutes. */
  readonly before?: (api: Api, holdings: Holdings) => Promise<void>
  readonly at: (holdings: Holdings) => string
  readonly show: (page: Page) => Promise<void>
}

const RENDERER = resolve(import.meta.dirname, '../../renderer')
const KINDS =
  /<(U(Modal|Slideover|Drawer|DropdownMenu|ContextMenu|Popover|Select|SelectMenu|InputMenu|DashboardSearch)|FormDialog|MessageDialog|ConfirmDialog)\s/
/** Frames: what they are for opens in the components that use them, and in unsaved.slow.ts. */
const FRAMES = new Set([
  'parts/FormDialog',
  'parts/ConfirmDialog',
  'parts/UnsavedDialog',
  'rooms/messages/MessageDialog',
])

const press = (name: string | RegExp) => async (page: Page) => {
  await page.getByRole('button', { name }).first().click()
}
const inMenu = (menu: string | RegExp, item: string | RegExp) => async (page: Page) => {
  await press(menu)(page)
  await page.getByRole('menuitem', { name: item }).click()
}
const choose = (name: string | RegExp) => async (page: Page) => {
  await page.getByRole('combobox', { name }).first().click()
}
const inTurn =
  (...acts: readonly ((page: Page) => Promise<void>)[]) =>
  async (page: Page) => {
    for (const act of acts) await act(page)
  }

const idOn = (page: Page) => page.url().split('/').at(-1)?.split('?')[0] ?? ''

/** The number on the page, as if its phone were paired: the home of a test reaches no live network. */
async function showAsPaired(page: Page): Promise<void> {
  const id = idOn(page)
  await page.route(`**/panel/v1/instances/${id}`, async (route) => {
    const response = await route.fetch()
    const record = (await response.json()) as object
    const paired = { status: 'connected', connected: true, logged_in: true, phone_number: '12025550109' }
    await route.fulfill({ response, json: { ...record, ...paired } })
  })
  await page.reload()
}

/** As it is again. */
async function showAsItIs(page: Page): Promise<void> {
  const id = idOn(page)
  await page.unroute(`**/panel/v1/instances/${id}`)
  await page.reload()
}

const onPage = (page: string) => () => page
const webhook = ({ webhook: id }: Holdings) => `/webhooks/${id}`
const selective = ({ selective: id }: Holdings) => `/webhooks/${id}`
const instance = ({ instance: id }: Holdings) => `/instances/${id}`
const unpaired = ({ unpaired: id }: Holdings) => `/instances/${id}`
const official = ({ official: id }: Holdings) => `/instances/${id}`
const settingsOf = (which: 'instance' | 'live' | 'linkable') => (holdings: Holdings) =>
  `/instances/${holdings[which]}?tab=settings`
const templates = ({ linkable: id }: Holdings) => `/instances/${id}?tab=templates`
const groupsOf = ({ instance: id }: Holdings) => `/instances/${id}?tab=groups`
const group = ({ instance: id, group: one }: Holdings) => `/instances/${id}?tab=groups&group=${one}`
const crmOf = ({ instance: id }: Holdings) => `/instances/${id}?tab=crm`
const chat = ({ instance: id, chat: number }: Holdings) => `/messages/${id}/${number}`
const officialChat = ({ linkable: id, chat: number }: Holdings) => `/messages/${id}/${number}`
const phone = ({ number }: Holdings) => `/sandbox/phones/${number}`

const agents =
  (tab: string) =>
  ({ agents: id }: Holdings) =>
    `/agents/${id}?tab=${tab}`
const client =
  (tab: string) =>
  ({ client: id }: Holdings) =>
    `/clients/${id}?tab=${tab}`
const recording = ({ agents: id, recording: one }: Holdings) => `/recordings/${id}/${one}`
const voice = ({ agents: id }: Holdings) => `/voice/${id}`
const widgets = ({ agents: id }: Holdings) => `/voice/${id}/widgets`
const widget = ({ agents: id, widget: one }: Holdings) => `/voice/${id}/widgets/${one}`
const scheduled = ({ scheduled: id }: Holdings) => `/campaigns/${id}`
const campaign = ({ campaign: id }: Holdings) => `/campaigns/${id}`
const builder =
  (step: string) =>
  ({ draft: id }: Holdings) =>
    `/campaigns/edit/${id}?step=${step}`

const pickAgent = (name: string) => async (page: Page) => {
  await choose('Agent')(page)
  await page.getByRole('option', { name }).click()
}

/** In a narrow window the sidebar is a drawer. */
async function openSidebar(page: Page): Promise<void> {
  const drawer = page.getByRole('button', { name: 'Open sidebar' })
  if (await drawer.isVisible()) await drawer.click()
}

/** Every overlay of the window, by the component that has it. */
const OVERLAYS: Readonly<Record<string, readonly Omit<Overlay, 'of'>[]>> = {
  'parts/AccountMenu': [{ name: 'menu', at: onPage('/settings'), show: inTurn(openSidebar, press('Operator')) }],
  'parts/HelpMenu': [{ name: 'menu', at: onPage('/settings'), show: inTurn(openSidebar, press('Help')) }],
  'parts/ReportDialog': [
    {
      name: 'report',
      at: onPage('/settings'),
      show: inTurn(openSidebar, inMenu('Help', 'Report a problem')),
    },
  ],
  'parts/ShortcutsDialog': [{ name: 'shortcuts', at: onPage('/settings'), show: (page) => page.keyboard.press('?') }],
  'parts/CommandPalette': [
    { name: 'palette', at: onPage('/settings'), show: (page) => page.keyboard.press('Control+k') },
  ],
  'parts/ColumnMapper': [
    {
      name: 'columns',
      at: builder('people'),
      show: inTurn(async (page) => {
        await page.getByRole('textbox', { name: 'One person per line' }).fill('phone;city\n12025550199;Boston')
      }, choose('Column for Phone number')),
    },
  ],
  // Only a development build has the patterns.
  'rooms/patterns/PatternsScreen': [],
  'rooms/contacts/ContactDialog': [
    { name: 'new', at: onPage('/contacts'), show: press('Add contact') },
    { name: 'edit', at: onPage('/contacts'), show: press('Edit Ana Souza') },
  ],
  'rooms/contacts/RemoveContact': [{ name: 'remove', at: onPage('/contacts'), show: press('Delete Ana Souza') }],
  'rooms/contacts/ContactToolbar': [{ name: 'tags', at: onPage('/contacts'), show: choose('All tags') }],
  'rooms/contacts/NewOptOut': [{ name: 'new', at: onPage('/opt-outs'), show: press('Opt out a number') }],
  'rooms/contacts/LiftOptOut': [{ name: 'lift', at: onPage('/opt-outs'), show: press(/^Remove the opt-out/) }],
  'rooms/contacts/KeywordTable': [
    { name: 'countries', at: onPage('/opt-outs?tab=words'), show: choose(/^Country of/) },
  ],
  'rooms/overview/ActivityCard': [{ name: 'range', at: onPage('/overview'), show: choose('Period') }],
  'rooms/instances/InstanceRow': [{ name: 'menu', at: onPage('/instances'), show: press('Actions for Bakery Luz') }],
  'rooms/instances/InstanceScreen': [{ name: 'menu', at: instance, show: press('Actions for Bakery Luz') }],
  'rooms/instances/ListToolbar': [
    { name: 'filter', at: onPage('/instances'), show: choose('All statuses') },
    { name: 'order', at: onPage('/instances'), show: press('Sort') },
  ],
  'rooms/instances/NewInstanceDialog': [
    { name: 'new', at: onPage('/instances'), show: inTurn(press('New number'), press('More')) },
    {
      name: 'engines',
      at: onPage('/instances'),
      show: inTurn(press('New number'), press('What each connection type supports')),
    },
  ],
  'rooms/instances/PairDialog': [
    {
      name: 'QR code',
      at: unpaired,
      show: inTurn(press('Pair'), (page) => page.getByRole('img', { name: /QR/ }).waitFor()),
    },
    {
      name: 'pairing code',
      at: unpaired,
      show: inTurn(press('Pair'), (page) => page.getByRole('tab', { name: 'Pairing code' }).click()),
    },
    {
      name: 'passkey',
      before: (api, { confirming }) => askForPasskey(api, confirming),
      at: ({ confirming: id }) => `/instances/${id}`,
      show: inTurn(press('Pair'), press('Use my own browser')),
    },
    { name: 'official number', at: official, show: press('Connect') },
  ],
  'rooms/instances/BulkDialog': [
    {
      name: 'reconnect',
      at: onPage('/instances'),
      show: async (page) => {
        await page.getByRole('checkbox', { name: 'Select all' }).check()
        await page.getByRole('toolbar').getByRole('button', { name: 'Reconnect' }).click()
      },
    },
  ],
  // Only live numbers have one.
  'rooms/instances/HistoryCard': [],
  'rooms/instances/LineDialog': [{ name: 'line', at: settingsOf('instance'), show: press('Edit connection and pace') }],
  // Only live numbers have a choice.
  'rooms/instances/GraphVersionCard': [],
  'rooms/instances/ConversationalDialog': [
    { name: 'components', at: settingsOf('linkable'), show: press('Edit ice breakers and commands') },
  ],
  'rooms/instances/UsernameCard': [
    {
      name: 'delete',
      async before(api, { linkable }) {
        await api('PUT', `/v1/instances/${linkable}/username`, { username: 'business_0100' })
      },
      at: settingsOf('linkable'),
      show: (page) => page.getByRole('button', { name: 'Delete', exact: true }).click(),
    },
  ],
  'rooms/instances/EditDialog': [{ name: 'edit', at: instance, show: press('Edit') }],
  'rooms/instances/ActionDialogs': [{ name: 'delete', at: settingsOf('instance'), show: press('Delete…') }],
  'rooms/instances/MoveInDialog': [
    { name: 'move in', at: settingsOf('live'), show: inTurn(showAsItIs, press('Move here…')) },
  ],
  'rooms/instances/MoveOutDialog': [
    { name: 'move out', at: settingsOf('live'), show: inTurn(showAsPaired, press('Export session…')) },
  ],
  'rooms/instances/FusionCard': [{ name: 'choice', at: settingsOf('linkable'), show: choose('Choose a phone') }],
  'rooms/instances/WebhookCard': [
    {
      name: 'form',
      at: settingsOf('instance'),
      show: (page) => page.getByRole('button', { name: 'Add', exact: true }).click(),
    },
  ],
  'rooms/groups/NewGroupDialog': [{ name: 'new', at: groupsOf, show: press('New group') }],
  'rooms/groups/JoinGroupDialog': [{ name: 'join', at: groupsOf, show: press('Join with a link') }],
  'rooms/groups/PostDialog': [{ name: 'post', at: groupsOf, show: press(/^Post in/) }],
  'rooms/groups/NewCommunityDialog': [{ name: 'community', at: groupsOf, show: press(/^New$/) }],
  'rooms/groups/LinkGroupDialog': [
    { name: 'link', at: groupsOf, show: inTurn(press('Old town'), press('Link a group')) },
    {
      name: 'group to link',
      at: groupsOf,
      show: inTurn(press('Old town'), press('Link a group'), choose('Group')),
    },
  ],
  'rooms/groups/AddMembersDialog': [{ name: 'add', at: group, show: press(/^Add$/) }],
  'rooms/groups/GroupDialog': [{ name: 'edit', at: group, show: press(/^Edit$/) }],
  'rooms/groups/GroupInvite': [
    { name: 'renew', at: group, show: inTurn(press('Show link'), press('Revoke and create a new one')) },
  ],
  'rooms/groups/GroupMembers': [
    { name: 'menu', at: group, show: press('Actions for Ana Souza') },
    { name: 'remove', at: group, show: inMenu('Actions for Ana Souza', 'Remove') },
  ],
  'rooms/groups/GroupRules': [{ name: 'timer', at: group, show: choose('Disappearing messages') }],
  'rooms/groups/GroupPage': [{ name: 'leave', at: group, show: press(/^Leave$/) }],
  'rooms/templates/TemplateDialog': [{ name: 'new', at: templates, show: press('New template') }],
  'rooms/templates/TemplateStart': [
    { name: 'start', at: templates, show: inTurn(press('New template'), choose('Start with')) },
    { name: 'language', at: templates, show: inTurn(press('New template'), choose('Language')) },
    { name: 'copy', at: templates, show: press('Copy or translate order_update') },
  ],
  'rooms/templates/TemplateHeader': [
    { name: 'header', at: templates, show: inTurn(press('New template'), choose('Header')) },
  ],
  'rooms/templates/TemplateLifetime': [
    { name: 'unit', at: templates, show: inTurn(press('New template'), choose('Unit')) },
  ],
  'rooms/templates/TemplatesTab': [{ name: 'delete', at: templates, show: press('Delete order_update') }],
  'rooms/crm/GhlCard': [{ name: 'disconnect', at: crmOf, show: press('Disconnect') }],
  'rooms/crm/WebhookCard': [{ name: 'remove', at: crmOf, show: press('Remove the CRM webhook') }],
  'rooms/crm/BackfillPart': [{ name: 'period', at: crmOf, show: choose('Period') }],
  'rooms/crm/FieldMapPart': [{ name: 'source', at: crmOf, show: choose('Field here') }],
  'parts/InstanceSelect': [
    { name: 'choice', at: chat, show: choose('Choose a number') },
    { name: 'number', at: onPage('/events'), show: choose('Number') },
  ],
  'parts/FilterSelect': [
    { name: 'event', at: onPage('/events'), show: choose('Event type') },
    { name: 'status', at: onPage('/webhooks/deliveries'), show: choose('Status') },
  ],
  'rooms/messages/NewChatDialog': [{ name: 'new', at: chat, show: press('New message') }],
  'rooms/messages/MessageComposer': [
    { name: 'file', at: chat, show: inTurn(press('Attach a file'), choose('File type')) },
  ],
  'rooms/messages/InteractiveMenu': [{ name: 'kinds', at: officialChat, show: press('Add buttons or a list') }],
  'rooms/messages/InteractiveDialog': [
    'Reply buttons',
    'List',
    'Link button',
    'Ask for location',
    'Form',
    'List of products',
  ].map((name) => ({
    ...{ name, at: officialChat, show: inMenu('Add buttons or a list', new RegExp(`^${name}$`)) },
  })),
  'rooms/messages/TemplateDialog': [
    { name: 'template', at: officialChat, show: inMenu('Add buttons or a list', 'Template') },
    {
      ...{ name: 'choice', at: officialChat },
      show: inTurn(inMenu('Add buttons or a list', 'Template'), choose('Choose a template')),
    },
  ],
  'parts/InteractiveHeader': [
    {
      ...{ name: 'a file above the text', at: officialChat },
      show: inTurn(inMenu('Add buttons or a list', 'Reply buttons'), choose('Header type')),
    },
  ],
  'rooms/messages/ChatMenu': [{ name: 'menu', at: chat, show: press(/^Actions for Ana Souza/) }],
  'rooms/events/EventSlide': [
    {
      name: 'event',
      at: onPage('/events?type=message.received'),
      show: inTurn(press('message.received'), (page) =>
        page
          .getByRole('link', { name: /^Open delivery to/ })
          .first()
          .waitFor(),
      ),
    },
  ],
  'rooms/events/EventDeliveries': [
    {
      name: 'replay',
      at: onPage('/events?type=message.received'),
      show: inTurn(press('message.received'), press('Replay from here')),
    },
  ],
  'rooms/campaigns/CampaignsScreen': [{ name: 'filter', at: onPage('/campaigns'), show: choose('Status') }],
  'rooms/campaigns/BuilderScreen': [{ name: 'delete', at: builder('numbers'), show: press('Delete draft…') }],
  'rooms/campaigns/FileField': [
    {
      name: 'type',
      at: onPage('/campaigns/edit?step=message'),
      show: inTurn(
        (page) => page.getByRole('radio', { name: 'File with caption' }).click(),
        (page) => page.getByRole('radio', { name: 'From a URL' }).click(),
        choose('File type'),
      ),
    },
  ],
  'rooms/campaigns/InteractiveEditor': [
    {
      name: 'kinds of buttons and lists',
      at: onPage('/campaigns/edit'),
      show: inTurn(
        (page) => page.getByRole('checkbox', { name: /^Bakery Luz, official/ }).check(),
        press('Next'),
        (page) => page.getByRole('radio', { name: 'Buttons, list or form' }).click(),
        choose('What people can tap'),
      ),
    },
  ],
  'rooms/campaigns/TemplateFields': [
    {
      name: 'templates',
      // A draft of its own: what is chosen is saved.
      at: onPage('/campaigns/edit'),
      show: inTurn(
        (page) => page.getByRole('checkbox', { name: /^Bakery Luz, official/ }).check(),
        press('Next'),
        (page) => page.getByRole('radio', { name: 'Approved template' }).click(),
        choose('Choose a template'),
      ),
    },
  ],
  'rooms/campaigns/PeopleStep': [{ name: 'clear', at: builder('people'), show: press('Remove everyone') }],
  'rooms/campaigns/TagImport': [
    {
      name: 'tags',
      at: builder('people'),
      show: inTurn((page) => page.getByRole('tab', { name: 'Contacts' }).click(), choose('Tag')),
    },
  ],
  'rooms/campaigns/CountrySelect': [
    {
      name: 'countries',
      at: builder('people'),
      show: inTurn(async (page) => {
        await page.getByRole('textbox', { name: 'One person per line' }).fill('12025550199')
      }, choose('Numbers without a country code')),
    },
  ],
  'rooms/campaigns/PaceWindow': [
    {
      name: 'zone',
      at: builder('pace'),
      show: inTurn((page) => page.getByRole('switch', { name: 'Sending hours' }).check(), choose('Time zone')),
    },
  ],
  'rooms/campaigns/PaceProtection': [
    {
      name: 'rotation',
      at: builder('pace'),
      show: inTurn((page) => page.getByText('Protection and rotation').click(), choose('Split between numbers')),
    },
  ],
  'rooms/campaigns/StartDialog': [{ name: 'start', at: builder('review'), show: press('Start…') }],
  'rooms/campaigns/TestDialog': [{ name: 'test', at: builder('review'), show: press('Send a test') }],
  'rooms/campaigns/RecipientTable': [
    { name: 'filter', at: (holdings) => `${campaign(holdings)}?tab=people`, show: choose('Status') },
  ],
  'rooms/campaigns/CampaignActions': [
    { name: 'menu', at: scheduled, show: press('Actions for Sunday brunch') },
    { name: 'cancel', at: scheduled, show: inMenu('Actions for Sunday brunch', 'Cancel campaign') },
  ],
  'rooms/ai/AgentBar': [
    { name: 'menu', at: agents('try'), show: press('Actions for Reception') },
    { name: 'agents', at: agents('try'), show: choose('Agent') },
    { name: 'delete', at: agents('try'), show: inMenu('Actions for Reception', 'Delete agent') },
  ],
  'rooms/ai/NewAgentDialog': [{ name: 'new', at: agents('try'), show: inMenu('Actions for Reception', 'New agent') }],
  'rooms/ai/ProviderField': [{ name: 'providers', at: agents('behaviour'), show: choose('Provider') }],
  'rooms/ai/ProviderKeyDialog': [
    {
      name: 'key',
      at: agents('behaviour'),
      show: inTurn(
        choose('Provider'),
        (page) => page.getByRole('option', { name: /^Anthropic/ }).click(),
        press('Add key'),
      ),
    },
  ],
  // Its list comes from a provider; without a key it is a field.
  'rooms/ai/ModelField': [],
  'rooms/ai/PromptField': [
    {
      name: 'examples',
      at: agents('behaviour'),
      show: inTurn(
        choose('Provider'),
        (page) => page.getByRole('option', { name: /^OpenAI/ }).click(),
        press('Insert an example'),
      ),
    },
  ],
  'rooms/ai/MediaDialog': [
    { name: 'add', at: agents('behaviour'), show: inTurn(pickAgent('Sales'), press('Add file')) },
  ],
  'rooms/ai/HttpToolDialog': [
    {
      name: 'add',
      at: agents('behaviour'),
      show: inTurn(pickAgent('Sales'), press('Add tool'), press('Add parameter'), choose('Method')),
    },
  ],
  'rooms/ai/StagesTab': [{ name: 'delete', at: agents('stages'), show: press('Delete Greet') }],
  'rooms/ai/StageDialog': [{ name: 'edit', at: agents('stages'), show: press('Edit Greet') }],
  'rooms/ai/RulesCard': [{ name: 'zone', at: agents('limits'), show: choose('Time zone') }],
  'rooms/ai/FaqDialog': [{ name: 'add', at: agents('knowledge'), show: press('Add question') }],
  'rooms/ai/FaqImportDialog': [{ name: 'import', at: agents('knowledge'), show: press('Import') }],
  'rooms/ai/EvaluateTab': [],
  'rooms/ai/EvaluationDialog': [{ name: 'new', at: agents('evaluate'), show: press('New evaluation') }],
  'rooms/ai/ChatsTab': [{ name: 'filter', at: agents('chats'), show: choose('Show') }],
  'rooms/calls/CallFilters': [{ name: 'state', at: onPage('/calls'), show: choose('Status') }],
  // Of a call that runs: test/window/voice-calls.slow.ts.
  'rooms/calls/LiveCalls': [],
  'rooms/calls/PlannedTab': [{ name: 'cancel', at: onPage('/calls?tab=planned'), show: press(/^Cancel the call to/) }],
  'rooms/calls/CancelBatch': [{ name: 'cancel', at: onPage('/calls?tab=planned'), show: press('Cancel batch') }],
  'rooms/calls/CallActions': [
    {
      name: 'cancel',
      at: ({ agents: id, planned }) => `/calls/${id}/${planned}`,
      show: press('Cancel call'),
    },
  ],
  'rooms/calls/ScheduleCaller': [
    { name: 'agent', at: ({ agents: id }) => `/calls/schedule?instance=${id}`, show: choose('Agent') },
  ],
  'rooms/calls/ScheduleWhen': [{ name: 'unit', at: onPage('/calls/schedule?mode=many'), show: choose('Unit') }],
  'rooms/voice/AfterCallFields': [{ name: 'keep', at: voice, show: choose('Keep recordings') }],
  'rooms/voice/AgentSelect': [{ name: 'agent', at: widget, show: choose('Agent') }],
  'rooms/voice/CallingHours': [
    {
      name: 'zone',
      at: voice,
      show: inTurn(
        (page) => page.getByRole('switch', { name: 'Only call within these hours' }).click(),
        choose('Time zone'),
      ),
    },
  ],
  // With a stored key only: test/window/voice-setup.slow.ts.
  'rooms/voice/SpeechForm': [],
  'rooms/voice/TrunkCard': [],
  'rooms/voice/TrunkDialog': [{ name: 'trunk', at: voice, show: press('Set up a trunk') }],
  'rooms/voice/NewWidgetDialog': [{ name: 'new', at: widgets, show: press('New widget') }],
  'rooms/voice/WidgetScreen': [{ name: 'delete', at: widget, show: press('Delete widget') }],
  'rooms/voice/WidgetPage': [{ name: 'language', at: widget, show: choose('Language') }],
  'rooms/voice/WidgetPreview': [{ name: 'state', at: widget, show: choose('Show') }],
  'rooms/recordings/RecordingsScreen': [{ name: 'direction', at: onPage('/recordings'), show: choose('Direction') }],
  'rooms/recordings/PlayerControls': [{ name: 'speed', at: recording, show: choose('Speed') }],
  'rooms/recordings/PlayerScreen': [{ name: 'delete', at: recording, show: press('Delete recording') }],
  // Names of devices are known once a microphone is allowed: test/window/softphone.slow.ts.
  'rooms/softphone/DeviceCard': [],
  'parts/CommandProblems': [
    {
      name: 'refused',
      at: ({ webhook }) => `/webhooks/${webhook}`,
      show: async (page) => {
        const test = '**/panel/v1/webhooks/*/test'
        await page.route(test, (route) => route.abort())
        await press('Send test event')(page)
        await page.locator('[data-command-problem]').waitFor()
        await page.unroute(test)
      },
    },
  ],
  'parts/AccountSwitcher': [
    { name: 'accounts', at: onPage('/settings'), show: inTurn(openSidebar, press(/^Account: /)) },
  ],
  'rooms/agency/ClientsScreen': [{ name: 'state', at: onPage('/clients'), show: choose('Status') }],
  'rooms/agency/NewClientDialog': [{ name: 'new', at: onPage('/clients'), show: press('New client') }],
  'rooms/agency/ClientActions': [
    { name: 'menu', at: client('keys'), show: press('Actions for North bakery') },
    { name: 'suspend', at: client('keys'), show: inMenu('Actions for North bakery', 'Suspend') },
  ],
  'rooms/agency/ClientSettings': [{ name: 'zone', at: client('settings'), show: choose('Time zone') }],
  'rooms/agency/ClientKeys': [{ name: 'revoke', at: client('keys'), show: press('Revoke Their CRM') }],
  'rooms/agency/ClientKeyDialog': [{ name: 'new', at: client('keys'), show: press('New key') }],
  'rooms/agency/ClientUsage': [{ name: 'period', at: client('usage'), show: choose('Period') }],
  'rooms/agency/TransferDialog': [
    { name: 'in', at: client('numbers'), show: press('Transfer a number here') },
    { name: 'out', at: settingsOf('instance'), show: press('Transfer…') },
  ],
  'rooms/billing/BuyDialog': [
    {
      name: 'change',
      at: onPage('/billing'),
      show: inTurn(press('Upgrade: Scale'), (page) => page.getByText('Due today').waitFor()),
    },
    {
      name: 'declined',
      at: onPage('/billing'),
      show: inTurn(press('Buy: Guided setup'), press(/^Pay .* now$/), (page) =>
        page.getByText('The bank declined the card').waitFor(),
      ),
    },
  ],
  'rooms/billing/PlanPanel': [{ name: 'end', at: onPage('/billing'), show: press('End plan') }],
  'rooms/billing/CardPanel': [{ name: 'remove', at: onPage('/billing'), show: press(/^Remove$/) }],
  'rooms/billing/SandboxTools': [
    { name: 'cards', at: onPage('/billing'), show: inTurn(press('Sandbox tools'), choose('Test card')) },
  ],
  'rooms/billing/ProviderTab': [
    {
      name: 'live',
      at: onPage('/billing?tab=provider'),
      show: (page) => page.getByRole('radio', { name: 'Live' }).click(),
    },
  ],
  'rooms/billing/ClientBilling': [{ name: 'stop', at: client('billing'), show: press('Stop billing') }],
  'rooms/billing/ClientTermsForm': [{ name: 'tax', at: client('billing'), show: choose('Tax ID') }],
  'rooms/links/LinksCard': [{ name: 'revoke', at: settingsOf('instance'), show: press(/^Revoke the link/) }],
  'rooms/links/NewLinkDialog': [
    { name: 'new', at: settingsOf('instance'), show: press('New link') },
    { name: 'link', at: settingsOf('live'), show: inTurn(press('New link'), press('Create link')) },
  ],
  'rooms/members/RemoveDialog': [{ name: 'remove', at: onPage('/team'), show: press('Remove Ana Souza') }],
  'rooms/members/InviteDialog': [{ name: 'invite', at: onPage('/team'), show: press('Invite member') }],
  'rooms/audit/AuditScreen': [{ name: 'who', at: onPage('/activity'), show: choose('Who') }],
  'rooms/webhooks/CreateWebhook': [
    { name: 'new', at: onPage('/webhooks'), show: press('New webhook') },
    {
      name: 'secret',
      at: onPage('/webhooks'),
      show: inTurn(press('New webhook'), press('Use a catcher'), press('Create webhook'), (page) =>
        page
          .getByText(/^whsec_/)
          .first()
          .waitFor(),
      ),
    },
  ],
  'rooms/webhooks/WebhookActions': [{ name: 'menu', at: webhook, show: press('More') }],
  'rooms/webhooks/EditWebhook': [{ name: 'edit', at: webhook, show: inMenu('More', 'Edit') }],
  'rooms/webhooks/RotateSecret': [{ name: 'rotate', at: webhook, show: inMenu('More', 'Rotate') }],
  'rooms/webhooks/ReplayWindow': [{ name: 'replay', at: webhook, show: inMenu('More', 'Replay') }],
  'rooms/webhooks/DeleteWebhook': [{ name: 'delete', at: webhook, show: inMenu('More', 'Delete') }],
  'rooms/webhooks/WebhookFacts': [
    { name: 'events', at: selective, show: (page) => page.getByRole('button', { name: '1 event' }).hover() },
  ],
  'rooms/webhooks/DeliverySlide': [
    {
      name: 'delivery',
      at: webhook,
      // The newest: what came before moves on as codes grow old and are drawn anew.
      show: inTurn(press(/^(instance|message)\.\w+$/), (page) => page.getByText('Redeliver').last().waitFor()),
    },
  ],
  'rooms/keys/NewKeyDialog': [
    { name: 'new', at: onPage('/keys'), show: press('New key') },
    {
      name: 'instances',
      at: onPage('/keys'),
      show: inTurn(
        press('New key'),
        (page) => page.getByRole('radio', { name: 'Selected numbers' }).click(),
        choose('Choose numbers'),
      ),
    },
  ],
  'rooms/keys/RevokeDialog': [{ name: 'revoke', at: onPage('/keys'), show: press('Revoke') }],
  'rooms/assistants/ConnectTab': [{ name: 'key', at: onPage('/assistants/connect'), show: choose('Choose a key') }],
  'rooms/settings/BackupList': [{ name: 'restore', at: onPage('/settings'), show: press(/^Restore the backup from/) }],
  'rooms/settings/RateDialog': [{ name: 'rate', at: onPage('/settings'), show: press('Add price') }],
  'parts/BudgetDialog': [{ name: 'budget', at: onPage('/billing?tab=costs'), show: press(/^Change budget/) }],
  'rooms/billing/CostsTab': [{ name: 'group', at: onPage('/billing?tab=costs'), show: choose('Group by') }],
  'rooms/settings/SettingDialog': [{ name: 'change', at: onPage('/settings'), show: press('Change Number limit') }],
  // Only the desktop app has it: test/window/desktop.slow.ts.
  'rooms/settings/DesktopSettings': [],
  'rooms/settings/AppearanceForm': [{ name: 'theme', at: onPage('/settings'), show: choose('Theme') }],
  'rooms/sandbox/NewPhone': [{ name: 'new', at: onPage('/sandbox'), show: press('New phone') }],
  'rooms/sandbox/PhoneSettings': [{ name: 'behaviour', at: phone, show: press('Behavior') }],
  'rooms/sandbox/PhoneComposer': [{ name: 'samples', at: phone, show: press('Send a sample file') }],
  'rooms/sandbox/MessageBubble': [
    {
      name: 'reactions',
      at: phone,
      show: (page) => page.getByRole('button', { name: 'React' }).first().press('Enter'),
    },
  ],
  'rooms/sandbox/FaultsPanel': [
    { name: 'whom', at: onPage('/sandbox/faults'), show: choose('Choose a number') },
    { name: 'ban', at: onPage('/sandbox/faults'), show: press('Trigger: Banned number') },
  ],
  'rooms/sandbox/CatcherReplyChoice': [
    { name: 'answers', at: onPage('/sandbox/catchers/window'), show: choose('Reply with') },
  ],
  'rooms/sandbox/CatcherLog': [{ name: 'empty', at: onPage('/sandbox/catchers/window'), show: press('Clear') }],
}

/** Every overlay. @throws when a component has one and no visit, so that a new dialog cannot go unseen. */
export function everyOverlay(): readonly Overlay[] {
  const having = globSync('**/*.vue', { cwd: RENDERER })
    .filter((file) => KINDS.test(readFileSync(join(RENDERER, file), 'utf8')))
    .map((file) => file.replaceAll('\\', '/').replace(/\.vue$/, ''))
    .filter((name) => !FRAMES.has(name))
  const unseen = having.filter((name) => !(name in OVERLAYS))
  const gone = Object.keys(OVERLAYS).filter((name) => !having.includes(name))
  if (unseen.length > 0 || gone.length > 0)
    throw new Error(
      `test/window/overlays.ts: visit ${unseen.join(', ') || 'nothing'}; forget ${gone.join(', ') || 'nothing'}.`,
    )
  return Object.entries(OVERLAYS).flatMap(([of, overlays]) => overlays.map((overlay) => ({ of, ...overlay })))
}
