import { ApiError } from '../contract/errors.ts'

export const templatesFull = (): ApiError =>
  new ApiError(
    'invalid_state',
    'This WhatsApp Business account has as many templates as Meta allows, so nothing was created. Delete those that you do not use, or verify the business in Meta Business Suite to raise the limit.',
  ).because('template_limit_reached')
