/**
 * The size of a proof that has a short form. `npm test` runs the short one, `npm run test:slow` runs the same file again
 * with the long one: test/config/slow.config.ts takes every file that imports this module.
 */
export const sized = <T>(short: T, long: T): T => (process.env['TEST_SIZE'] === 'long' ? long : short)
