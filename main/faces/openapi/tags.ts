/** What each chapter of the reference is about, by the room's name. */
const ABOUT: Readonly<Record<string, string>> = {
  account: 'Who is calling: the account, the scopes of the key and the instances it may reach.',
  approvals: 'Calls of assistants that wait for a person.',
  service: 'The service itself, for the person who runs it.',
  instances:
    'Messaging connections. Each runs on one of two engines: `smv2`, a phone paired by QR, or `official`, the Cloud API of Meta.',
  messages: 'Send messages through an instance and read their status.',
  webhooks:
    'Account webhooks: signed, the same for both engines, delivered at least once; and the log of their deliveries.',
  'instance-webhook': 'The older webhook of a single instance: unsigned, three tries. Prefer account webhooks.',
  fusion: 'Treating an `official` and an `smv2` instance of one number as one contact.',
  events: 'What happened, for reading instead of receiving: for programs that no webhook can reach.',
  sandbox:
    'The simulated network inside the service: phones that scan, write and answer, faults on demand, and a catcher for webhooks. Only for instances with `network: sandbox`.',
  voice: 'Calls, their recordings and widgets.',
  campaigns: 'Sending to many, at a pace, with opt-outs.',
  ai: 'Agents that answer in chats, and what they know.',
  billing: 'Plans, purchases and checkouts.',
  links: 'White-label links that let a customer connect an instance.',
  ghl: 'The connection to GHL.',
  agency: 'Sub-accounts, their slots and keys.',
  direct: 'Speaking to an engine directly, past the normalized operations.',
}

/** @throws Error at start when a room has no words here: a reference without them is not finished. */
export function tagOf(room: string): { name: string; description: string } {
  const description = ABOUT[room]
  if (description === undefined) throw new Error(`openapi/tags.ts has no words about the room ${room}`)
  return { name: room, description }
}
