import { byRoom, type Words } from './by-room.ts'

export default byRoom(import.meta.glob<Words>('../../locales/en/*.json', { eager: true, import: 'default' }))
