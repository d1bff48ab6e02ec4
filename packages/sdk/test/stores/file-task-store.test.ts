/** A new store driver is one file and this test. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { taskRecord, taskStoreContract } from '../../src/stores/task-store.fixtures.ts'
import { FileTaskStore } from './file-task-store.fixtures.ts'

const folder = mkdtempSync(join(tmpdir(), 'parley-tasks-'))
let files = 0
const newPath = (): string => join(folder, `${++files}.json`)
afterAll(() => rmSync(folder, { recursive: true }))

taskStoreContract('FileTaskStore', () => new FileTaskStore(newPath()))

describe('F8 FileTaskStore', () => {
  it('has its tasks again after a restart', () => {
    const path = newPath()
    new FileTaskStore(path).create(taskRecord('a'), 10)
    expect(new FileTaskStore(path).get('a')).toEqual(taskRecord('a'))
  })
})
