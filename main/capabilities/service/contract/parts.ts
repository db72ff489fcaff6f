/** Operations about this machine, for the person who runs it. */
const consoleOperation = {
  scope: null,
  reach: 'account',
  origin: 'ours',
  audience: 'console',
  tool: null,
} as const
export const ofMembers = { ...consoleOperation, role: 'member' } as const
export const ofOperators = { ...consoleOperation, role: 'operator' } as const
