/// A first-in, first-out queue that does not move its elements at each step.
package struct FIFO<Element: Sendable>: Sendable {
    private var elements: [Element] = []
    private var head = 0

    package init() {}

    package var count: Int { elements.count - head }
    package var isEmpty: Bool { count == 0 }
    package var first: Element? { isEmpty ? nil : elements[head] }

    package mutating func append(_ element: Element) {
        elements.append(element)
    }

    /// Inserts an element at the front again.
    package mutating func prepend(_ element: Element) {
        if head > 0 {
            head -= 1
            elements[head] = element
        } else {
            elements.insert(element, at: 0)
        }
    }

    package mutating func popFirst() -> Element? {
        guard !isEmpty else { return nil }
        defer {
            head += 1
            // Half of the memory is unused: release it. On average each element moves at most once.
            if head * 2 > elements.count {
                elements.removeFirst(head)
                head = 0
            }
        }
        return elements[head]
    }

    package mutating func removeAll(where shouldBeRemoved: (Element) -> Bool) {
        elements.removeFirst(head)
        head = 0
        elements.removeAll(where: shouldBeRemoved)
    }

    package var all: ArraySlice<Element> { elements[head...] }
}
