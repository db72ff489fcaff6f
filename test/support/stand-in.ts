import { startSecondWhatsApp } from './whatsapp-second/index.ts'
import { startWhatsApp as startFirstWhatsApp } from './whatsapp/index.ts'

type Start = typeof startFirstWhatsApp

/** The two stand-ins for WhatsApp. They take part in the same scenarios, and share no code but their interface. */
export const STAND_INS: Readonly<Record<'first' | 'second', Start>> = {
  first: startFirstWhatsApp,
  second: startSecondWhatsApp,
}

/** The one that this run is about: the first, unless test/config/slow.config.ts says otherwise. */
export const startWhatsApp: Start = process.env['STAND_IN'] === 'second' ? STAND_INS.second : STAND_INS.first
