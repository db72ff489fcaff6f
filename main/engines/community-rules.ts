import { ApiError } from '../contract/errors.ts'

export const notCommunity = (): ApiError =>
  new ApiError('invalid_state', 'This is a group and not a community. List the communities to see their ids.').because(
    'community_expected',
  )

export const communityInCommunity = (): ApiError =>
  new ApiError('invalid_state', 'A community cannot be part of a community.').because('community_inside')

export const inAnotherCommunity = (): ApiError =>
  new ApiError('invalid_state', 'This group belongs to another community. Unlink it there first.').because(
    'community_other',
  )

export const notPartOfCommunity = (): ApiError => new ApiError('not_found', 'This group is not part of this community.')

export const announcementsStay = (): ApiError =>
  new ApiError('invalid_state', 'The announcement group of a community cannot be unlinked from it.').because(
    'community_announcements',
  )

export const notAdminOfBoth = (): ApiError =>
  new ApiError('invalid_state', 'Only somebody who is an admin of the community and of the group can do this.').because(
    'community_admins_only',
  )

export const communityFull = (): ApiError =>
  new ApiError('invalid_state', 'The community has as many groups as WhatsApp allows.').because('community_full')
