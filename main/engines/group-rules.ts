import { ApiError } from '../contract/errors.ts'

export const groupAdminsOnly = (): ApiError =>
  new ApiError('invalid_state', 'Only group admins can do this.').because('group_admins_only')

export const alreadyInGroup = (): ApiError =>
  new ApiError('invalid_state', 'This instance is already in the group.').because('group_joined')

export const waitsForAdmin = (): ApiError =>
  new ApiError('invalid_state', 'An admin of the group must approve the request to join.').because('group_join_waits')

export const deadInvite = (): ApiError =>
  new ApiError('not_found', 'This invite link does not work for this number. Ask an admin for a new one.').because(
    'invite_link_dead',
  )

export const addsNobody = (): ApiError =>
  new ApiError(
    'engine_mismatch',
    'The official engine cannot add people to a group. Create it without participants, and send people its invite link: up to eight can join.',
  )

export const noSuchGroup = (): ApiError =>
  new ApiError('not_found', 'This instance is not in a group with this id. List its groups to see their ids.')

export const noOtherAdmins = (): ApiError =>
  new ApiError('engine_mismatch', 'The groups of an official number have no other admins.')

export const noGroupsBesideTheApp = (): ApiError =>
  new ApiError(
    'engine_mismatch',
    'This number is also used in the WhatsApp Business app, and Meta does not offer groups to such numbers. Make the group in the app, or use another number.',
  )
