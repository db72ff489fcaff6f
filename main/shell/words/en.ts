import type { Words } from './shape.ts'

export const en: Words = {
  open: 'Open Switchboard',
  quit: 'Quit Switchboard',
  settings: 'Settings…',
  tray: {
    starting: 'Starting…',
    state({ total, connected }) {
      if (total === 0) return 'No numbers yet'
      if (connected === total) return total === 1 ? 'The number is connected' : `All ${total} numbers connected`
      return `${connected} of ${total} numbers connected`
    },
    lost: (count) => (count === 1 ? '1 number needs a look' : `${count} numbers need a look`),
  },
  closing: {
    question: 'Keep Switchboard running in the background?',
    detail:
      'Numbers stay connected and webhooks are delivered only while Switchboard runs. You find it in the tray. You can change this in Settings.',
    hide: 'Keep running',
    quit: 'Quit',
  },
  notStarted: 'Switchboard could not start',
  lost: {
    one: (name) => ({
      title: 'A number was lost',
      body: `${name} is not connected any more. Open Switchboard to see why.`,
    }),
    many: (count) => ({ title: `${count} numbers were lost`, body: 'Open Switchboard to see which ones and why.' }),
  },
  deliveries: {
    failed: (host) => ({
      title: 'An event could not be delivered',
      body: `${host} did not accept it in any of the attempts. It can be sent again from Switchboard.`,
    }),
    off: (host) => ({
      title: 'A webhook was switched off',
      body: `${host} does not accept events. They are kept, and can be sent when it works again.`,
    }),
    many: (count) => ({ title: `${count} webhooks are failing`, body: 'Events could not be delivered to them.' }),
  },
  messages: {
    one: (from, instance) => ({ title: 'New message', body: `${from} wrote to ${instance}.` }),
    many: (chats) => ({ title: 'New messages', body: `In ${chats} conversations.` }),
  },
  menu: {
    about: 'About Switchboard',
    hide: 'Hide Switchboard',
    hideOthers: 'Hide Others',
    showAll: 'Show All',
    edit: 'Edit',
    undo: 'Undo',
    redo: 'Redo',
    cut: 'Cut',
    copy: 'Copy',
    paste: 'Paste',
    selectAll: 'Select All',
    view: 'View',
    actualSize: 'Actual Size',
    zoomIn: 'Zoom In',
    zoomOut: 'Zoom Out',
    fullScreen: 'Full Screen',
    window: 'Window',
    minimize: 'Minimize',
    close: 'Close',
  },
}
