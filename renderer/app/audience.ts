/**
 * Who reads: the `owner` of this computer in the own account or, as `agency`, in that of a client; a `member` of the
 * owner's account, or somebody of a `client`. Not everybody can do the same about a problem.
 */
export type Audience = 'owner' | 'agency' | 'member' | 'client'
