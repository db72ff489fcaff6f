/** Pieces that a careless parser takes the square of their number for. */
export const FILLERS: readonly string[] = [
  ...['**', '*a', '* a ', '**a ', '_', '__a', '***a***', '[', ']', '[](', '![a](', '[a](/b)', '[[a](/b)'],
  ...[
    '`',
    '`a',
    '``a`',
    '```\n',
    '```a\n',
    '~~~\n```\n',
    '\\',
    '\\*',
    '<br>',
    '\n> ',
    '> > > > > ',
    '\n|',
    '|-',
    '|-|\n',
  ],
  ...[
    '\n|a|\n|-|\n',
    '@',
    'a@',
    'a.',
    'https://',
    'https://x.com/((',
    'https://x.com))',
    'www.',
    '&amp;',
    '#',
    '\n# #',
  ],
  ...['- ', '-', '\n', ' ', '\t\n', '**a\n', 'a_', '~~a', '"', '\n- - ', '\n1) '],
]

export const filled = (piece: string, length: number): string => piece.repeat(Math.ceil(length / piece.length))

/** Fences of growing length, none of which closes an earlier one. */
export const growingFences = (count: number): string =>
  Array.from({ length: count }, (_, at) => '`'.repeat(at + 3))
    .toReversed()
    .join('x\n')
