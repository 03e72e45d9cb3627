import Testing
import Vocabulary

@Suite struct SystemRandomTests {
    /// Also where a system call draws the next ones, and to several threads.
    @Test func eachNumberIsGivenOutOnce() async {
        let (tasks, each) = (8, 1000)
        let numbers = await withTaskGroup(of: [UInt64].self) { group in
            for _ in 0..<tasks {
                group.addTask {
                    var random = SystemRandom()
                    return (0..<each).map { _ in random.next() }
                }
            }
            return await group.reduce(into: Set<UInt64>()) { $0.formUnion($1) }
        }
        // Of 8,000 random numbers of 64 bits two are equal once in 10^12 runs.
        #expect(numbers.count == tasks * each)
    }
}
