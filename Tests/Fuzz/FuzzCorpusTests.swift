import Foundation
import Testing

/// The initial inputs of fuzzing and its findings: each input is read as the fuzzing program reads it.
@Suite struct FuzzCorpusTests {
    private static let corpus = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Corpus")

    @Test(arguments: FuzzTarget.allCases) func corpusIsReadWithoutTrap(target: FuzzTarget) throws {
        let folder = Self.corpus.appending(path: target.rawValue)
        let files = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
        #expect(!files.isEmpty)
        for file in files {
            let input = try Array(Data(contentsOf: file))
            #expect(throws: Never.self, "\(file.lastPathComponent)") { try target.read(input) }
            // A prefix of a valid input is a likely malformed input. What the fuzzer has added is one already.
            let isAdded = file.lastPathComponent.utf8.count == 40
            for length in 0..<(isAdded || target.isSlow ? 0 : input.count) {
                #expect(throws: Never.self, "\(length) bytes of \(file.lastPathComponent)") {
                    try target.read(Array(input.prefix(length)))
                }
            }
        }
    }

    @Test func eachCorpusFolderHasItsTarget() throws {
        let folders = try FileManager.default.contentsOfDirectory(atPath: Self.corpus.path)
        #expect(Set(folders) == Set(FuzzTarget.allCases.map(\.rawValue)))
    }
}
