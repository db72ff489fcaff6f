const ENDING = '@g.us'
const META_ID = /^[A-Za-z0-9._-]{1,128}$/

/**
 * The id of a group of the Groups API as Switchboard shows it, with the same ending on both engines. null: not a
 * valid id of Meta's.
 */
export const groupName = (metaId: string): string | null => (META_ID.test(metaId) ? `${metaId}${ENDING}` : null)

export const isGroupName = (name: string): boolean => name.endsWith(ENDING)

/** Meta's id of the group. */
export const metaGroupId = (name: string): string => name.slice(0, -ENDING.length)
