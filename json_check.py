import json, sys
world = json.load(open(sys.argv[1], encoding='utf-8'))
assert world['kith'] == 0
for entity in world['entities']:
    crew = entity['components'].get('crew')
    if crew:
        assert isinstance(crew['u64'], int) and 0 <= crew['u64'] < 2 ** 64
        bytes = crew['name'].encode('utf-8', 'surrogateescape')
        assert len(bytes) <= 8
json.dump(world, open(sys.argv[2], 'w'), indent=1, sort_keys=True)
