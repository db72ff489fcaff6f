import type { Principal } from '../../kernel/access.ts'
import type { OptOutSource } from './contract.ts'

/** Who decided: a person in the window, or a program. An assistant is one. */
export const deciderOf = ({ source }: Pick<Principal, 'source'>): OptOutSource =>
  source === 'console' ? 'person' : 'api'
