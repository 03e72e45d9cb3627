/// The names of a document that a decoding has asked for, to find those that no type declares.
struct JSONNameUsage {
    /// By the node of the name.
    private var isKnown: [Bool]
    /// The objects whose members were decoded by declared names.
    private var objects: [Int] = []

    init(of document: JSONDocument) {
        isKnown = Array(repeating: false, count: document.nodes.count)
    }

    mutating func open(_ object: Int) {
        if !objects.contains(object) { objects.append(object) }
    }

    mutating func ask(for name: Int) {
        isKnown[name] = true
    }

    /// The nodes of the other names with their objects, in the order of the text.
    func unknownNames(in document: JSONDocument) -> [(name: Int, object: Int)] {
        var found: [(name: Int, object: Int)] = []
        for object in objects {
            var name = object + 1
            while name < document.nodes[object].contentEnd {
                if !isKnown[name] { found.append((name, object)) }
                name = document.nodes[name + 1].indexAfter(name + 1)
            }
        }
        return found.sorted { $0.name < $1.name }
    }
}

/// A member of a document that the decoded type does not declare.
package struct JSONUnknownName {
    /// As it is written.
    package let name: String
    /// The path of the object that contains it.
    package let codingPath: [any CodingKey]
}
