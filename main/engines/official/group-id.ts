const ENDING = '@g.us'
const META_ID = /^[A-Za-z0-9._-]{1,128}$/

/** A group of the Groups API as it is named here: on both engines an id ends alike. null: Meta's id is none. */
export const groupName = (metaId: string): string | null => (META_ID.test(metaId) ? `${metaId}${ENDING}` : null)

export const isGroupName = (name: string): boolean => name.endsWith(ENDING)

/** The id by which Meta knows the group. */
export const metaGroupId = (name: string): string => name.slice(0, -ENDING.length)
