import { describe, expect, test } from 'vitest'
import { fileTypeOf, UNKNOWN_TYPE } from '../../main/kernel/file-type.ts'
import { sampleOf } from '../../main/engines/sandbox/index.ts'
import { sampleFile, wave } from '../support/samples.ts'

const typeOf = (head: Buffer, declared?: string, name: string | null = null) => fileTypeOf({ head, declared, name })
const latin = (text: string) => Buffer.from(text, 'latin1')
const WORDS = latin('name,phone\r\nAna,12025550101\r\n')
const DOCX = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document'

describe('detection by content', () => {
  test.each([
    ['JPEG', sampleFile('photo.jpg'), 'image/jpeg'],
    ['PNG', sampleOf('image').bytes, 'image/png'],
    ['GIF', sampleFile('moving.gif'), 'image/gif'],
    ['MP3 with tags', sampleFile('tone.mp3'), 'audio/mpeg'],
    ['MP3 without tags', Buffer.from('fffb9064', 'hex'), 'audio/mpeg'],
    ['AAC', Buffer.from('fff15080', 'hex'), 'audio/aac'],
    ['M4A', sampleFile('tone.m4a'), 'audio/mp4'],
    ['WAV', wave(1), 'audio/wav'],
    ['Ogg', sampleOf('audio').bytes, 'audio/ogg'],
    ['AMR', latin('#!AMR\n'), 'audio/amr'],
    ['MP4', sampleFile('clip.mp4'), 'video/mp4'],
    ['3GP', latin('\0\0\0\x18ftyp3gp4\0\0'), 'video/3gpp'],
    ['MOV', latin('\0\0\0\x14ftypqt  \0\0'), 'video/quicktime'],
    ['HEIC', latin('\0\0\0\x18ftypheic\0\0'), 'image/heic'],
    ['PDF', sampleOf('document').bytes, 'application/pdf'],
    ['HTML', latin('\n<!DOCTYPE html><html>'), 'text/html'],
  ])('recognizes %s, whatever type was declared', (_, head, mimeType) => {
    expect([typeOf(head), typeOf(head, 'text/plain', 'a.txt'), typeOf(head, 'application/octet-stream')]).toEqual([
      mimeType,
      mimeType,
      mimeType,
    ])
  })

  test.each([
    ['a docx', latin('PK\x03\x04'), UNKNOWN_TYPE, 'a.DOCX', DOCX],
    ['a docx by its type', latin('PK\x03\x04'), DOCX, null, DOCX],
    ['a zip', latin('PK\x03\x04'), 'image/png', 'a.png', 'application/zip'],
    ['an xls', latin('\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1'), UNKNOWN_TYPE, 'a.xls', 'application/vnd.ms-excel'],
    ['a sound in mp4', latin('\0\0\0\x18ftypisom'), 'audio/x-m4a', null, 'audio/mp4'],
    ['a sound in webm', latin('\x1aE\xdf\xa3'), 'audio/webm;codecs=opus', null, 'audio/webm'],
  ])('tells %s apart by the declared type and the file name', (_, head, declared, name, mimeType) => {
    expect(typeOf(head, declared, name)).toBe(mimeType)
  })
})

describe('content that cannot be recognized', () => {
  test.each([
    ['image/jpg', 'image/jpeg'],
    ['Audio/MP3; rate=1', 'audio/mpeg'],
    ['audio/m4a', 'audio/mp4'],
    ['audio/x-m4a', 'audio/mp4'],
    ['binary/octet-stream', UNKNOWN_TYPE],
    ['application/octet-stream', UNKNOWN_TYPE],
    ['no type at all', UNKNOWN_TYPE],
    ['', UNKNOWN_TYPE],
  ])('declared as %j is %s', (declared, mimeType) => expect(typeOf(WORDS, declared)).toBe(mimeType))

  test('has the type of its extension if the declared type is vague', () => {
    expect(typeOf(WORDS, 'binary/octet-stream', 'Contacts.CSV')).toBe('text/csv')
    expect(typeOf(WORDS, 'text/plain', 'contacts.csv')).toBe('text/csv')
    expect(typeOf(WORDS, 'text/calendar', 'contacts.csv')).toBe('text/calendar')
    expect(typeOf(WORDS, undefined, 'contacts')).toBe(UNKNOWN_TYPE)
  })
})
