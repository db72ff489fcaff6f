/** How people are named on the way to them, as patterns without anchors. */

/** A phone number with country code. */
export const NUMBER = '[0-9]{7,15}'

/** Somebody who hides their number, as the official engine names them: `US.13491208655302741918`. */
export const USER_ID = '[A-Z]{2}[.](?:ENT[.])?[A-Za-z0-9]{1,128}'
