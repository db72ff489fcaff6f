import { ApiError } from '../contract/errors.ts'

export const noSuchChannel = (): ApiError =>
  new ApiError('not_found', 'WhatsApp has no such channel. Check the link, or list the channels to see their ids.')

export const notChannelAdmin = (): ApiError =>
  new ApiError('invalid_state', 'Only admins of the channel can do this.').because('channel_admins_only')

export const managesChannel = (): ApiError =>
  new ApiError(
    'invalid_state',
    'This number manages the channel. Its owner and its admins cannot unfollow it.',
  ).because('channel_managed')
