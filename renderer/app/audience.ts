/**
 * The reader: the `owner` of this computer in their own account, or as `agency` in a client's; a `member` of the
 * owner's account, or a person of a `client`. Each can do different things about a problem.
 */
export type Audience = 'owner' | 'agency' | 'member' | 'client'
