import { byRoom, type Words } from './by-room.ts'

export default byRoom(import.meta.glob<Words>('../../locales/es/*.json', { eager: true, import: 'default' }))
