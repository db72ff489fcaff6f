import type { Principal } from '../../kernel/access.ts'
import type { OptOutSource } from './contract.ts'

/** The decider: a person in the window, or a program such as an assistant. */
export const deciderOf = ({ source }: Pick<Principal, 'source'>): OptOutSource =>
  source === 'console' ? 'person' : 'api'
