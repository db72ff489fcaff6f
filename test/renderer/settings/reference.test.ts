import { describe, expect, test } from 'vitest'
import { fieldsOf, groupsOf, search, typeOf, type OpenApiDocument } from '../../../renderer/rooms/settings/reference.ts'

const description = {
  tags: [{ name: 'instances', description: 'Connections.' }, { name: 'empty' }],
  paths: {
    '/v1/instances/{id}': {
      get: {
        operationId: 'getInstance',
        summary: 'Read an instance',
        tags: ['instances'],
        parameters: [{ $ref: '#/components/parameters/Id' }],
        responses: {
          200: {
            description: 'It.',
            content: {
              'application/json': { schema: { $ref: '#/components/schemas/Instance' }, example: { id: 'a' } },
            },
          },
          404: { $ref: '#/components/responses/NotFound' },
        },
      },
    },
    '/v1/me': { get: { operationId: 'getMe', summary: 'Read the key', tags: ['account'] } },
  },
  components: {
    parameters: { Id: { name: 'id', in: 'path', required: true, schema: { type: 'string', format: 'uuid' } } },
    responses: { NotFound: { description: 'No such thing.' } },
    schemas: {
      Instance: {
        type: 'object',
        required: ['id'],
        properties: {
          id: { type: 'string', description: 'The id.' },
          owner: { anyOf: [{ type: 'object', properties: { name: { type: 'string' } } }, { type: 'null' }] },
          tags: { type: 'array', items: { type: 'object', properties: { tag: { enum: ['a', 'b'] } } } },
          parent: { $ref: '#/components/schemas/Instance' },
        },
      },
    },
  },
} as unknown as OpenApiDocument

describe('the API reference', () => {
  const groups = groupsOf(description)

  test('groups operations by tag, without empty tags', () => {
    expect(groups.map(({ tag, operations }) => [tag, operations.map(({ id }) => id)])).toEqual([
      ['instances', ['getInstance']],
      ['account', ['getMe']],
    ])
  })

  test('follows references', () => {
    const operation = groups[0]!.operations[0]!
    expect(operation.parameters[0]).toMatchObject({
      name: 'id',
      place: 'path',
      type: 'string (uuid)',
      isRequired: true,
    })
    expect(operation.replies.map(({ status, description }) => [status, description])).toEqual([
      ['200', 'It.'],
      ['404', 'No such thing.'],
    ])
    expect(operation.replies[0]!.payload?.example).toBe('{\n  "id": "a"\n}')
  })

  test('lists nested fields, and ends at recursive schemas', () => {
    const fields = fieldsOf(description, { $ref: '#/components/schemas/Instance' })
    expect(fields.slice(0, 5).map(({ name, depth, type }) => [name, depth, type])).toEqual([
      ['id', 0, 'string'],
      ['owner', 0, 'object or null'],
      ['name', 1, 'string'],
      ['tags', 0, 'array of object'],
      ['tag', 1, '"a" | "b"'],
    ])
    expect(Math.max(...fields.map(({ depth }) => depth))).toBe(4)
  })

  test('shows the rest despite a broken reference', () => {
    expect(typeOf(description, { $ref: '#/components/schemas/Gone' })).toBe('any')
  })

  test('finds entries that contain every search word', () => {
    expect(search(groups, 'read inst').map(({ tag }) => tag)).toEqual(['instances'])
    expect(search(groups, '')).toHaveLength(2)
    expect(search(groups, 'nothing like it')).toEqual([])
  })
})
