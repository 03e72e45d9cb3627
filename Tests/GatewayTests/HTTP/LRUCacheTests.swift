import TestSupport
import Testing

@testable import GatewayService

@Suite struct LRUCacheTests {
    @Test func leastRecentlyUsedEntryIsEvicted() {
        var cache = LRUCache<String, Int>(capacity: 3)
        for (index, key) in ["a", "b", "c"].enumerated() { cache.set(index, for: key) }
        #expect(cache["a"] == 0)  // A read counts as use.
        cache.set(3, for: "d")
        #expect(cache["b"] == nil)
        cache.set(9, for: "c")  // A write counts as use.
        cache.set(4, for: "e")
        #expect([cache["a"], cache["b"], cache["c"], cache["d"], cache["e"]] == [nil, nil, 9, 3, 4])
        #expect(cache.count == 3)
    }

    @Test func removalKeepsOrderOfUse() {
        var cache = LRUCache<String, Int>(capacity: 3)
        for (index, key) in ["a", "b", "c"].enumerated() { cache.set(index, for: key) }
        cache.removeAll { $0 == 1 }
        #expect(cache.count == 2)
        cache.set(3, for: "d")
        cache.set(4, for: "e")
        #expect([cache["a"], cache["b"], cache["c"], cache["d"], cache["e"]] == [nil, nil, 2, 3, 4])
    }

    /// Compares the cache with a simple list.
    @Test(arguments: 0..<20 as Range<UInt64>)
    func cacheMatchesReferenceModel(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        var cache = LRUCache<Int, Int>(capacity: 5)
        var uses: [(key: Int, value: Int)] = []
        for step in 0..<500 {
            let key = Int.random(in: 0..<9, using: &random)
            let known = uses.firstIndex { $0.key == key }
            if Bool.random(using: &random) {
                #expect(cache[key] == known.map { uses[$0].value })
                if let known { uses.append(uses.remove(at: known)) }
            } else {
                cache.set(step, for: key)
                if let known { uses.remove(at: known) } else if uses.count == 5 { uses.removeFirst() }
                uses.append((key, step))
            }
            #expect(cache.count == uses.count)
        }
    }
}
