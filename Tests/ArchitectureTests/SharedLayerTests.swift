import Foundation
import Testing

/// Shared/README.md is the map of the shared modules: each has one row, in a layer below those that it depends on.
struct SharedLayerTests {
    private let manifest: PackageManifest
    /// The modules under each heading of the page.
    private let layers: [[Substring]]

    init() throws {
        manifest = try PackageManifest()
        let page = try String(contentsOf: SourceTree.root.appending(path: "Shared/README.md"), encoding: .utf8)
        layers = page.split(separator: "\n## ").dropFirst().map { section in
            section.matches(of: /(?m)^\| \[`([^`]+)`\]/).map(\.1)
        }
    }

    @Test func everyModuleHasOneRow() {
        #expect(layers.joined().sorted() == manifest.sharedModules.keys.sorted())
    }

    @Test func moduleDependsOnLayersAboveItsOwn() {
        var above: Set<Substring> = []
        for layer in layers {
            for name in layer {
                let shared = manifest.sharedModules[name, default: []].subtracting(manifest.libraries)
                #expect(shared.isSubset(of: above), "\(name) depends on \(shared.subtracting(above).sorted())")
            }
            above.formUnion(layer)
        }
    }
}
