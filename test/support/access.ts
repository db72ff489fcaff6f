import type { RequireAccess } from '../../main/capabilities/handler.ts'

/** Of a caller whose access does not end while the call is carried out. */
export const keepsAccess: RequireAccess = async () => {}
