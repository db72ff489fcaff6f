/** Tag descriptions, by room. */
const DESCRIPTIONS: Readonly<Record<string, string>> = {
  account: 'The calling key: its account, its scopes and the instances it can access.',
  approvals: 'Assistant calls that need a person’s approval.',
  service: 'The service itself, for its operator.',
  instances:
    'Messaging connections. Each uses one of two engines: `smv2`, a phone paired by QR code, or `official`, Meta’s Cloud API.',
  messages: 'Send messages through an instance and read their status.',
  webhooks:
    'Account webhooks and their delivery log. Events are signed, identical for both engines, and delivered at least once.',
  'instance-webhook':
    'Legacy webhook of a single instance: unsigned, at most three attempts. Use account webhooks instead.',
  fusion: 'Link an `official` and an `smv2` instance of the same number, so that they act as one contact.',
  safety: 'How much each number may send, and why.',
  costs: 'What messages cost at Meta.',
  events: 'Recorded events, for programs that cannot receive webhooks.',
  sandbox:
    'A simulated network inside the service: phones that scan codes and send messages, faults on demand, a webhook catcher, and a stand-in for a language model. Phones and faults are only for instances with `network: sandbox`.',
  'opt-outs': 'People who want no campaigns and follow-ups. Agents and people still answer them.',
  contacts: 'The people that write to your numbers or that you write to.',
  voice: 'Calls, recordings and widgets.',
  campaigns: 'Bulk sending with pacing and opt-outs.',
  ai: 'AI agents that answer chats.',
  'ai-providers': 'API keys of the providers of models.',
  'ai-knowledge': 'What AI agents answer from.',
  'ai-evaluations': 'Tests of AI agents.',
  billing:
    'Plans, purchases and checkout, with a simulated payment provider whose clock can be moved. In `live` mode payments go through the operator’s Stripe account.',
  links: 'White-label links with which customers connect an instance.',
  crm: 'Connect instances with GoHighLevel, or with any other CRM by a signed webhook in both directions.',
  agency: 'Sub-accounts, their slots and keys.',
  calls: 'What happens when somebody calls the number of an instance.',
  history: 'Import of messages from before a number was connected.',
  'number-checks': 'Checks of which numbers are on WhatsApp.',
  blocks: 'Who cannot write to a number.',
  groups: 'The groups a number is in, and who else is.',
  templates: 'What Meta lets you send to people who have not written lately.',
  'line-settings': 'How a number connects and sends: pace, presence and proxy.',
  direct: 'Direct access to an engine, for actions beyond the normalized operations.',
}

/** @throws Error when the document is built if a room has no description. */
export function tagOf(room: string): { name: string; description: string } {
  const description = DESCRIPTIONS[room]
  if (description === undefined) throw new Error(`openapi/tags.ts has no description of the room ${room}`)
  return { name: room, description }
}
